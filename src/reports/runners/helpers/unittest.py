"""Runs unittest as `python -m unittest` does and writes, beside what that prints, what each test came to."""
import json
import os
import sys

REPORT = '@REPORT@'

if __name__ == '__main__':
    # As with -m: the folder it is started in, not the one that this file is in. With -I and -P there is neither.
    if sys.path[0] == os.path.dirname(os.path.abspath(__file__)):
        sys.path[0] = os.getcwd()
    import unittest

    sys.argv[0] = os.path.basename(sys.executable) + ' -m unittest'
    tests = []

    def entry(test, status, message=''):
        # A module that cannot be loaded, or a class or module whose setup failed, is no test.
        whole = not isinstance(test, unittest.TestCase) or type(test).__name__ == '_FailedTest'
        names = test.id() if hasattr(test, 'id') else str(test)
        module = type(test).__module__
        known = sys.modules.get(module)
        file = getattr(known, '__file__', None) if not whole else None
        path = names[len(module) + 1:].split('.', 1) if names.startswith(module + '.') else [names]
        if whole:
            path = path[-1:]
        tests.append({'file': file or '', 'path': path, 'status': status, 'message': message, 'load': whole})

    def recording(Base):
        class Result(Base):
            def addSuccess(self, test):
                super().addSuccess(test)
                if not getattr(self, 'partial', None) == test:
                    entry(test, 'passed')

            def addError(self, test, err):
                super().addError(test, err)
                entry(test, 'failed', self.errors[-1][1])

            def addFailure(self, test, err):
                super().addFailure(test, err)
                entry(test, 'failed', self.failures[-1][1])

            def addSkip(self, test, reason):
                super().addSkip(test, reason)
                entry(test, 'skipped')

            def addExpectedFailure(self, test, err):
                super().addExpectedFailure(test, err)
                entry(test, 'passed')

            def addUnexpectedSuccess(self, test):
                super().addUnexpectedSuccess(test)
                entry(test, 'failed', 'It was expected to fail, and passed.')

            def addSubTest(self, test, subtest, err):
                super().addSubTest(test, subtest, err)
                if err is not None:
                    # The test itself is told as a whole, by the first of its parts that failed.
                    if getattr(self, 'partial', None) != test:
                        told = self.failures if issubclass(err[0], test.failureException) else self.errors
                        entry(test, 'failed', told[-1][1])
                    self.partial = test

        return Result

    class Runner(unittest.TextTestRunner):
        resultclass = recording(unittest.TextTestRunner.resultclass)

        def run(self, test):
            result = super().run(test)
            with open('%s.%d' % (REPORT, os.getpid()), 'w', encoding='utf-8') as report:
                for line in tests + [{'end': len(tests)}]:
                    report.write(json.dumps(line) + '\n')
            return result

    unittest.main(module=None, testRunner=Runner)
