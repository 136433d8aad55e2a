"""Tests of the helper for skill authors: ``python3 -m unittest metier_skill_test`` in this folder."""

import ast
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ASSETS = pathlib.Path(__file__).resolve().parent.parent / "assets"


def script(code, given="{}", **environment):
    """Runs a script that imports the helper; its exit code, its answer, and what it said."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "tool.py"
        file.write_text("from metier_skill import *\n" + code, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, str(file)],
            input=given.encode("utf-8"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(os.environ, PYTHONPATH=str(ASSETS), **environment),
            check=False,
        )
    lines = done.stdout.decode("utf-8").splitlines()
    assert len(lines) == 1, (lines, done.stderr)
    return done.returncode, json.loads(lines[0]), done.stderr.decode("utf-8")


class Language(unittest.TestCase):
    def test_syntax_is_that_of_python_3_7(self):
        ast.parse((ASSETS / "metier_skill.py").read_text(encoding="utf-8"), feature_version=(3, 7))


class Arguments(unittest.TestCase):
    def test_they_come_as_keywords(self):
        code = "def main(name, count=1): return {'said': name * count}\nrun(main)"
        self.assertEqual(script(code, '{"name": "球", "count": 2}')[:2], (0, {"success": True, "said": "球球"}))
        self.assertEqual(script(code, '\ufeff{"name": "a"}')[1]["said"], "a")

    def test_what_does_not_fit_is_said_at_once(self):
        code, answer, _ = script("def main(name, count=1): pass\nrun(main)", '{"label": "a", "_private": 1}')
        self.assertEqual(code, 1)
        self.assertEqual(
            answer,
            {
                "success": False,
                "message": "wrong arguments (missing: name; unknown: label); this tool takes: name, count",
                "error": {"type": "arguments", "missing": ["name"], "unknown": ["label"]},
            },
        )

    def test_anything_but_an_object_is_refused(self):
        for given, word in (("[1]", "a list"), ("null", "null"), ("3", "a number"), ("{", "not JSON")):
            code, answer, _ = script("run(lambda: None)", given)
            self.assertEqual((code, answer["error"]["type"]), (1, "arguments"))
            self.assertIn(word, answer["message"])
        self.assertEqual(script("run(lambda: None)", "")[0], 0)

    def test_open_ended_functions_take_everything_but_the_servers_own(self):
        code = "def main(**given): return given\nrun(main)"
        self.assertEqual(script(code, '{"a": 1, "_workspace_roots": []}')[1], {"success": True, "a": 1})


class Answers(unittest.TestCase):
    def test_results(self):
        for code, answer in (
            ("run(lambda: None)", {"success": True, "message": ""}),
            ("run(lambda: [1, 2])", {"success": True, "message": "", "result": [1, 2]}),
            ("result('done', n=1)", {"success": True, "n": 1, "message": "done"}),
            ("run(lambda: result('done'))", {"success": True, "message": "done"}),
            ("@entry\ndef main(): return {'n': 1}\nrun()", {"success": True, "n": 1}),
        ):
            self.assertEqual(script(code)[:2], (0, answer), code)

    def test_values_beyond_json(self):
        code = (
            "import pathlib, datetime, collections\n"
            "P = collections.namedtuple('P', 'x')\n"
            "run(lambda: {'p': pathlib.PurePosixPath('/a'), 's': {2, 1}, 'd': datetime.date(2026, 3, 1)})"
        )
        self.assertEqual(script(code)[1], {"success": True, "p": "/a", "s": [1, 2], "d": "2026-03-01"})
        code, answer, _ = script("run(lambda: {'x': object()})")
        self.assertEqual((code, answer["error"]["type"]), (1, "TypeError"))
        self.assertEqual(script("run(lambda: {'x': float('nan')})")[0], 1)

    def test_failures(self):
        code, answer, _ = script("def main(): fail('no selection', cure='select a mesh')\nrun(main)")
        self.assertEqual((code, answer), (1, {"success": False, "message": "no selection", "cure": "select a mesh"}))
        code, answer, _ = script("fail('at once')")
        self.assertEqual((code, answer), (1, {"success": False, "message": "at once"}))
        code, answer, _ = script("run(lambda: {'success': False, 'message': 'no'})")
        self.assertEqual((code, answer["message"]), (1, "no"))
        code, answer, said = script("def main(): raise ValueError('bad frame')\nrun(main)")
        self.assertEqual((code, answer["message"], answer["error"]), (1, "bad frame", {"type": "ValueError"}))
        self.assertIn("Traceback", said)
        code, answer, said = script("run(lambda: open('/nowhere/at/all'))")
        self.assertEqual(answer["message"], "/nowhere/at/all: No such file or directory")
        self.assertNotIn("Traceback", said)

    def test_content(self):
        code, answer, _ = script("run(lambda: content('one', image(b'abc'), width=3))")
        self.assertEqual(code, 0)
        self.assertEqual(answer["content"][1], {"type": "image", "data": "YWJj", "mimeType": "image/png"})
        self.assertEqual(answer["structuredContent"], {"success": True, "width": 3})

    def test_a_stray_print_does_not_spoil_the_answer(self):
        code, answer, said = script("def main():\n    print('{\"success\": false}')\n    return {'n': 1}\nrun(main)")
        self.assertEqual((code, answer), (0, {"success": True, "n": 1}))
        self.assertIn('{"success": false}', said)

    def test_a_script_answers_once(self):
        code, answer, _ = script("try:\n    result(n=1)\n    result(n=2)\nexcept RuntimeError: pass")
        self.assertEqual(answer["n"], 1)

    def test_progress_and_log(self):
        said = script("progress(1, 4, 'baking')\nlog('a', 1)\nrun(lambda: None)")[2]
        self.assertEqual(said, '::progress:: {"progress": 1, "total": 4, "message": "baking"}\na 1\n')


class Workspace(unittest.TestCase):
    def test_roots_of_the_arguments_come_before_the_environments(self):
        code = "run(lambda: {'roots': roots()})"
        environment = {"DCC_MCP_WORKSPACE_ROOTS": '["/env/"]'}
        self.assertEqual(script(code, **environment)[1]["roots"], ["/env"])
        given = '{"_workspace_roots": ["/call"]}'
        self.assertEqual(script(code, given, **environment)[1]["roots"], ["/call"])
        self.assertEqual(script(code, DCC_MCP_WORKSPACE_ROOTS="[broken")[1]["roots"], [])

    def test_a_refusal_is_a_failure_with_its_reason(self):
        code, answer, _ = script("run(lambda: resolve('workspace://../x'))", '{"_workspace_roots": ["/p"]}')
        self.assertEqual((code, answer["error"]), (1, {"type": "workspace", "reason": "climbs"}))
        code, answer, _ = script("run(lambda: resolve('workspace://x'))")
        self.assertEqual(answer["message"], "no workspace roots")


if __name__ == "__main__":
    unittest.main()
