from core.opdoc import PATH, markdown


def test_the_table_of_operations_is_up_to_date():
    assert PATH.read_text("utf-8") == markdown(), "run: python -m core.opdoc"
