"""What every script of a skill does, in one file: read the arguments, report progress, answer.

Copy this file into the skill as ``scripts/_metier_skill.py`` (a name that begins with ``_`` is never taken for a tool),
then:

    from _metier_skill import fail, progress, run

    def count_lines(file, limit=1000):
        lines = 0
        with open(file, encoding="utf-8") as source:
            for lines, _ in enumerate(source, start=1):
                if lines > limit:
                    fail("too long", file=file, limit=limit)
        return {"message": "%d lines" % lines, "lines": lines}

    if __name__ == "__main__":
        run(count_lines)

``run`` calls the function with the arguments of the call as keywords, prints what it returns as one JSON object, and
turns every exception into ``{"success": false, "message": ..., "error": {"type": ...}}`` with exit code 1. What the
function prints goes to the log, so a stray ``print`` never spoils the answer.

Python 3.7 or newer, standard library only. It needs no server: ``echo '{"file": "a.txt"}' | python3 count_lines.py``.
"""

import base64
import contextlib
import datetime
import enum
import inspect
import io
import json
import os
import pathlib
import re
import stat
import string
import sys
import traceback
import unicodedata

__version__ = "1.0"

__all__ = [
    "Failure",
    "WorkspaceError",
    "arguments",
    "content",
    "entry",
    "fail",
    "image",
    "log",
    "progress",
    "resolve",
    "result",
    "roots",
    "run",
    "text",
]


class Failure(Exception):
    """A failure that the caller can act on; its text is shown as it is, further facts travel beside it."""

    #: What ``error.type`` says in the answer.
    kind = "failure"

    def __init__(self, message, **facts):
        super().__init__(message)
        self.message = message
        self.facts = facts


class ArgumentError(Failure):
    """The arguments are not what the script takes."""

    kind = "arguments"


class WorkspaceError(Failure):
    """A path that cannot be resolved in the workspace; ``error.reason`` says why in one word."""

    kind = "workspace"


# ---------------------------------------------------------------------------------------------------------------------
# Reading

_read = None


def arguments():
    """The arguments of this call as a ``dict``. Standard input is read once; nothing on it means no arguments."""
    global _read
    if _read is None:
        _use_utf8(sys.stdin)
        try:
            written = sys.stdin.read().lstrip("\ufeff")
            found = json.loads(written) if written.strip() else {}
        except ValueError as error:
            raise ArgumentError("the arguments are not JSON: %s" % error)
        if not isinstance(found, dict):
            raise ArgumentError("the arguments must be one JSON object, found %s" % _noun(found))
        _read = found
    return dict(_read)


def roots():
    """The folders of the workspace as absolute paths, the first one first; empty when there are none.

    A tool that declares a ``filesystem.*`` capability gets them as ``_workspace_roots``; every tool finds them in the
    environment variable ``DCC_MCP_WORKSPACE_ROOTS``.
    """
    found = arguments().get("_workspace_roots")
    if found is None:
        try:
            found = json.loads(os.environ.get("DCC_MCP_WORKSPACE_ROOTS") or "[]")
        except ValueError:
            found = []
    if not isinstance(found, list):
        return []
    return [str(pathlib.PurePath(root)) for root in found if isinstance(root, str) and root]


# ---------------------------------------------------------------------------------------------------------------------
# Speaking

_answer_to = None
_answered = False


def progress(done, total=None, message=None):
    """Reports one step of long work: ``progress(3, 10, "frame 3")``. ``done`` rises from call to call."""
    step = {"progress": done}
    if total is not None:
        step["total"] = total
    if message is not None:
        step["message"] = str(message)
    # One write, so that lines of several threads do not mix.
    sys.stderr.write("::progress:: " + json.dumps(step) + "\n")
    sys.stderr.flush()


def log(*words):
    """Writes a line for people; clients that listen get it as a log message."""
    print(*words, file=sys.stderr, flush=True)


def result(message="", **fields):
    """Answers with success: ``result("3 files", files=[...])``. A script answers once."""
    _print_answer(_success(dict(fields, message=message)))


def fail(message, **facts):
    """Answers with failure and ends the script with exit code 1. Give facts that help to mend it as keywords."""
    raise _FailNow(message, facts)


def text(words):
    """A content item with text, for ``content``."""
    return {"type": "text", "text": str(words)}


def image(source, mime_type="image/png"):
    """A content item with a picture, for ``content``: its bytes, or the path of a file."""
    if not isinstance(source, (bytes, bytearray)):
        with open(os.fspath(source), "rb") as file:
            source = file.read()
    return {"type": "image", "data": base64.b64encode(bytes(source)).decode("ascii"), "mimeType": mime_type}


def content(*items, **structured):
    """An answer of content items, in place of plain fields: ``return content(text("done"), image(png), width=64)``.

    A plain text may stand for ``text(...)``. The keywords become the structured result, which is what the tool's
    ``output_schema`` is about; a success has ``success: true`` among them.
    """
    listed = [text(item) if isinstance(item, str) else item for item in items]
    answer = {"content": listed or [text(structured.get("message", ""))]}
    if structured:
        answer["structuredContent"] = _success(structured)
    return answer


# ---------------------------------------------------------------------------------------------------------------------
# Running

_entry = None


def entry(function):
    """Marks the function that ``run()`` without an argument calls; the function itself stays as it is."""
    global _entry
    _entry = function
    return function


def run(function=None):
    """Reads the arguments, calls the function with them as keywords, prints its answer and ends the script.

    The function returns a ``dict`` (``success: true`` is added), what ``content`` makes, ``None``, or any other value,
    which travels as ``result``. It fails by ``fail(...)``, by raising, or by returning ``success: False``. Arguments
    that begin with ``_`` are the server's own; the function gets only those that it names.
    """
    global _answer_to
    function = function or _entry
    if function is None:
        raise TypeError("run() needs a function: run(main), or mark one with @entry")
    _answer_to = sys.stdout
    _use_utf8(sys.stdout)
    _use_utf8(sys.stderr)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            answer = function(**_keywords(function, arguments()))
        if not _answered:
            _print_answer(_answer_of(answer))
    except _FailNow as failure:
        _print_failure(failure.message, failure.facts)
    except Failure as failure:
        _print_failure(failure.message, failure.facts, failure.kind)
    except OSError as error:
        _print_failure(_words_of(error), {}, type(error).__name__)
    except Exception as error:  # Whatever it is, the caller gets a sentence and the log the whole story.
        traceback.print_exc()
        _print_failure(_words_of(error), {}, type(error).__name__)
    if not _succeeded:
        sys.exit(1)


class _FailNow(SystemExit):
    """Raised by ``fail``: outside of ``run`` it ends the script like any exit, having printed the answer."""

    def __init__(self, message, facts):
        super().__init__(1)
        self.message = str(message)
        self.facts = facts
        if _answer_to is None:
            _print_failure(self.message, facts)


_succeeded = True


def _keywords(function, given):
    """The arguments as keywords of the function; says everything that does not fit at once."""
    parameters = inspect.signature(function).parameters.values()
    named = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    names = [p.name for p in named]
    open_ended = any(p.kind == p.VAR_KEYWORD for p in parameters)
    given = {key: value for key, value in given.items() if not key.startswith("_") or key in names}
    missing = [p.name for p in named if p.default is p.empty and p.name not in given]
    unknown = [key for key in given if key not in names and not open_ended]
    if missing or unknown:
        said = []
        if missing:
            said.append("missing: " + ", ".join(missing))
        if unknown:
            said.append("unknown: " + ", ".join(unknown))
        taken = ", ".join(name for name in names if not name.startswith("_")) or "none"
        raise ArgumentError(
            "wrong arguments (%s); this tool takes: %s" % ("; ".join(said), taken), missing=missing, unknown=unknown
        )
    return given


def _answer_of(value):
    if value is None:
        return _success({"message": ""})
    if isinstance(value, dict):
        return value if isinstance(value.get("content"), list) else _success(value)
    return _success({"message": "", "result": value})


def _success(fields):
    answer = {"success": True}
    answer.update(fields)
    return answer


def _print_failure(message, facts, kind=None):
    answer = {"success": False, "message": message}
    if kind is None:
        answer.update(facts)
    else:
        answer["error"] = dict(facts, type=kind)
    _print_answer(answer)


def _print_answer(answer):
    global _answered, _succeeded
    if _answered:
        raise RuntimeError("the script has answered already")
    written = json.dumps(answer, ensure_ascii=False, allow_nan=False, default=_plain)
    out = _answer_to or sys.stdout
    _use_utf8(out)
    # File names that are not UTF-8 hold lone surrogates; a replaced letter is better than no answer.
    out.write(written.encode("utf-8", "replace").decode("utf-8") + "\n")
    out.flush()
    _answered = True
    _succeeded = answer.get("success") is not False and answer.get("isError") is not True


def _plain(value):
    """JSON for what scripts return beside JSON's own types."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if hasattr(value, "_asdict"):
        return value._asdict()
    if hasattr(value, "__dataclass_fields__"):
        return {name: getattr(value, name) for name in value.__dataclass_fields__}
    raise TypeError("a %s cannot be written as JSON; return text, numbers, lists and dicts" % type(value).__name__)


def _words_of(error):
    if isinstance(error, OSError) and error.strerror:
        return "%s: %s" % (error.filename, error.strerror) if error.filename is not None else error.strerror
    if isinstance(error, KeyError):
        return "there is no %s" % error
    return str(error) or type(error).__name__


def _noun(value):
    for kind, noun in ((bool, "true or false"), (list, "a list"), (str, "text"), ((int, float), "a number")):
        if isinstance(value, kind):
            return noun
    return "null"


def _use_utf8(stream):
    # Streams of tests have no encoding to set; on Windows the console's own would be something else.
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="utf-8", errors="replace" if stream is not sys.stdin else "strict")


# ---------------------------------------------------------------------------------------------------------------------
# The workspace: the same rules as the server's, so that a path that one refuses the other refuses too.

_ACCEPTED = "expected workspace://PATH, file:///PATH, an absolute path, or a path relative to the workspace"
_WHY = {
    "climbs": "'..' leads above the root",
    "link": "a link on the way leads out of it",
    "outside": "the path is in none of the roots",
    "drive": "it names a drive or the top of one; write an absolute path such as C:\\x",
    "nul": "it contains a NUL",
    "encoded-separator": "it contains an encoded slash or backslash; write a plain slash between names",
    "dots": "a name of dots and blanks alone can be read as '..' on some systems",
}
_MOST_LINKS = 40


def resolve(path, strict=False):
    """The path that a text means, as the server resolves it.

    ``workspace://a/b`` and a relative path are joined to the first root and can never leave it, by ``..``, by an
    escape or by a link; an absolute path and a ``file:`` URI stay as they are. With ``strict`` they too must lie in
    one of the roots. The file need not exist. Raises ``WorkspaceError``.
    """
    path = os.fspath(path)
    form, rest = _form(path)
    known = roots()
    if form == "absolute":
        if strict:
            _admit(rest, known, path)
        return rest
    if form == "relative" and not known and not strict:
        return rest
    if not known:
        raise WorkspaceError("no workspace roots", reason="no-roots")
    if form == "workspace" and not rest.strip("/\\"):
        raise _empty()
    names, left = _names(rest, form == "workspace", path)
    top = _locate(known[0], path)
    # A link that a ".." goes back from leads elsewhere too.
    for way in sorted(left) + [tuple(names)]:
        if not _is_below(_locate(os.path.join(known[0], *way), path), top):
            raise _escapes(path, "link")
    return os.path.join(known[0], *names)


def _form(path):
    trimmed = path.strip()
    if not trimmed:
        raise _empty()
    if "\0" in path:
        raise _escapes(path, "nul")
    if re.match(r"/|\\\\|[A-Za-z]:[/\\]", path):
        return "absolute", path
    if _has_drive(trimmed) or path.startswith("\\"):
        raise _escapes(path, "drive")
    match = re.match(r"([A-Za-z][A-Za-z0-9+.-]+):(.*)", trimmed, re.DOTALL)
    if not match:
        return "relative", path
    scheme = match.group(1).lower()
    if scheme == "workspace":
        return "workspace", match.group(2)
    if scheme == "file":
        return "absolute", _file_path(match.group(2), path)
    raise WorkspaceError(
        "'%s' has the unsupported scheme '%s'; %s" % (_shown(path), scheme, _ACCEPTED), reason="scheme"
    )


def _has_drive(words):
    return re.match(r"[A-Za-z]:", words) is not None


def _file_path(rest, path):
    if rest.startswith("//"):
        host, slash, below = rest[2:].partition("/")
        if host and host.lower() != "localhost":
            raise WorkspaceError(
                "'%s' is on the host '%s'; expected file:///PATH or file://localhost/PATH"
                % (_shown(path), _shown(host)),
                reason="host",
            )
        rest = slash + below
    if not rest:
        raise _empty()
    if not rest.startswith("/"):
        raise WorkspaceError("'%s' is not absolute; expected file:///PATH" % _shown(path), reason="not-absolute")
    decoded = _decode(rest, path)
    if os.name == "nt":
        if _has_drive(decoded[1:]):
            decoded = decoded[1:]
        decoded = decoded.replace("/", "\\")
        if len(decoded) == 2 and _has_drive(decoded):
            decoded += "\\"
    return decoded


def _names(rest, encoded, path):
    names, left = [], set()
    for piece in re.split(r"[/\\]", rest):
        name = _decode(piece, path) if encoded else piece
        if name in ("", "."):
            continue
        if name == "..":
            # What comes back after a step above the root may come back elsewhere.
            if not names:
                raise _escapes(path, "climbs")
            left.add(tuple(names))
            names.pop()
        elif not name.rstrip(". "):
            raise _escapes(path, "dots")
        elif _has_drive(name):
            raise _escapes(path, "drive")
        else:
            names.append(name)
    return names, left


def _decode(words, path):
    first, *pieces = words.split("%")
    decoded = bytearray(first.encode("utf-8", "surrogatepass"))
    for piece in pieces:
        digits = piece[:2]
        if len(digits) < 2 or any(digit not in string.hexdigits for digit in digits):
            raise WorkspaceError(
                "'%s' has the broken escape '%s'; expected %% and two hexadecimal digits, and %%25 for a percent sign"
                % (_shown(path), _shown("%" + digits)),
                reason="broken-escape",
            )
        byte = int(digits, 16)
        if byte in b"/\\":
            raise _escapes(path, "encoded-separator")
        if byte == 0:
            raise _escapes(path, "nul")
        decoded.append(byte)
        decoded += piece[2:].encode("utf-8", "surrogatepass")
    try:
        return decoded.decode("utf-8")
    except UnicodeDecodeError:
        raise WorkspaceError("'%s' does not decode to UTF-8" % _shown(path), reason="not-utf8")


def _admit(path, known, written):
    reason = "outside"
    if os.path.isabs(path) and known:
        real = _locate(path, written)
        for root in known:
            try:
                below = pathlib.PurePath(path).relative_to(root)
            except ValueError:
                below = None
            if below is not None and _climbs(below.parts):
                reason = "climbs"
                continue
            try:
                if _is_below(real, _real_path(root)):
                    if below is not None or not _goes_back_from_nothing(path):
                        return
                    # It would lie elsewhere as soon as somebody puts a link there.
                    reason = "climbs"
            except OSError:
                pass
            if below is not None:
                reason = "link"
    raise _escapes(written, reason)


def _goes_back_from_nothing(path):
    so_far = ""
    for part in pathlib.PurePath(path).parts:
        if part == ".." and not os.path.lexists(so_far):
            return True
        so_far = os.path.join(so_far, part)
    return False


def _climbs(parts):
    depth = 0
    for part in parts:
        depth += -1 if part == ".." else 1
        if depth < 0:
            return True
    return False


def _is_below(path, root):
    return pathlib.PurePath(path).parts[: len(pathlib.PurePath(root).parts)] == pathlib.PurePath(root).parts


def _locate(path, written):
    try:
        return _real_path(path)
    except OSError as error:
        raise WorkspaceError(
            "cannot tell where '%s' leads: %s" % (_shown(written), error.strerror or error), reason="unresolvable"
        )


def _real_path(path):
    """The path without links and dots, also for a path that does not exist; links to nothing are followed as well,
    because writing to one would create its target."""
    way = _steps(os.path.join(os.getcwd(), path))
    real = ""
    links = 0
    while way:
        step = way.pop()
        if os.path.isabs(step):
            real = step
            continue
        if step == "..":
            real = os.path.dirname(real)
            continue
        following = os.path.join(real, step)
        try:
            is_link = stat.S_ISLNK(os.lstat(following).st_mode)
        except (FileNotFoundError, NotADirectoryError):
            is_link = False
        if not is_link:
            real = following
            continue
        links += 1
        if links > _MOST_LINKS:
            raise OSError("too many links")
        way += _steps(os.readlink(following))
    return real


def _steps(path):
    """The steps of a path, the next one last."""
    return [part for part in reversed(pathlib.PurePath(path).parts) if part != "."]


def _empty():
    return WorkspaceError("empty path; " + _ACCEPTED, reason="empty")


def _escapes(path, reason):
    return WorkspaceError("'%s' leaves the workspace: %s" % (_shown(path), _WHY[reason]), reason=reason)


def _shown(words):
    """Control characters made visible, so that a message stays on one line."""
    plain = {"\t": "\\t", "\r": "\\r", "\n": "\\n"}
    return "".join(
        plain.get(letter, "\\u{%x}" % ord(letter)) if unicodedata.category(letter) == "Cc" else letter
        for letter in words
    )
