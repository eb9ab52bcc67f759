"""Which tests of the guest each landing runs, and which a release runs besides; the table in CONTRIBUTING.md says what each shows."""


def release(test):
    """Marks a test, or a class of them, that each landing can do without: another one shows the same promise, or it shows the rig's own work."""
    test.is_release = True
    return test


def is_of_landing(test):
    """Whether each landing runs a test, as unittest has it."""
    return not getattr(type(test), "is_release", False) and not getattr(getattr(test, test._testMethodName), "is_release", False)
