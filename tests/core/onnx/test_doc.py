from core.onnx.doc import PATH, markdown


def test_the_page_on_onnx_is_up_to_date():
    assert PATH.read_text("utf-8") == markdown(), "run: python -m core.onnx.doc"
