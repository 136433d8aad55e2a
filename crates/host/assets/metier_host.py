"""Runs the tools of skills inside this application: the other end of ``metier serve --attach FILE``.

A plain Python, kept alive between calls:

    python3 metier_host.py door.json

Inside an application, whose own functions work on its main thread alone:

    import metier_host
    import maya.utils
    host = metier_host.Host("~/door.json", name="maya", on_main=maya.utils.executeInMainThreadWithResult)
    host.start()

Where there is no such function, call ``host.run_pending()`` from a timer of the application (Blender's
``bpy.app.timers``, Qt's ``QTimer``); it returns at once when nothing waits.

The script's ``main`` is called with the arguments of the call as keywords, and what it returns is the answer. A script
without a ``main`` runs as it would as a program: JSON on standard input, JSON on standard output. One call runs at a
time. The script's folder is importable while it runs; what it imported from its skill is forgotten afterwards, so an
edited file is read anew.

The file holds a loopback address and a secret; only its owner can read it. Python 3.7 or newer, standard library only.
"""

import contextlib
import hmac
import importlib
import inspect
import io
import json
import os
import queue
import runpy
import secrets
import signal
import socket
import sys
import threading
import traceback
import types

__version__ = "1.0"

__all__ = ["Host"]

_MOST_REQUEST = 16 * 1024 * 1024
_MOST_CONNECTIONS = 64


class Host(object):
    """Listens for calls, and runs them on one thread.

    ``door`` is the file that tells the server where to find this application. ``on_main`` takes a function and calls it
    on the main thread; without it, somebody must call ``run_pending`` or ``serve_forever`` there. ``languages`` maps a
    file extension to ``function(job)`` for scripts that are not Python: ``{".mel": run_mel}``.
    """

    def __init__(self, door, name="python", on_main=None, languages=None):
        self.door = os.path.abspath(os.path.expanduser(door))
        self.name = name
        self._on_main = on_main
        self._languages = dict(languages or {})
        self._secret = secrets.token_urlsafe(32)
        self._waiting = queue.Queue()
        self._places = threading.BoundedSemaphore(_MOST_CONNECTIONS)
        self._closed = threading.Event()
        self._listener = None
        self._process = None

    def start(self):
        """Opens the door: listens in the background, and writes the file. Returns this host."""
        self._listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._listener.bind(("127.0.0.1", 0))
        self._listener.listen(_MOST_CONNECTIONS)
        self._process = os.getpid()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._leave_to_parent)
        self._write_door()
        threading.Thread(target=self._accept, name="metier-host", daemon=True).start()
        return self

    def run_pending(self, patience=0.0):
        """Runs the calls that wait, on this thread; waits ``patience`` seconds for the first one. Returns how many."""
        ran = 0
        while True:
            try:
                call = self._waiting.get(timeout=patience) if patience and not ran else self._waiting.get_nowait()
            except queue.Empty:
                return ran
            call.run(self._languages)
            ran += 1

    def serve_forever(self):
        """Runs calls on this thread until ``close``."""
        while not self._closed.is_set():
            self.run_pending(patience=0.5)

    def close(self):
        """Takes the file away and listens no more. A call that runs goes on to its end."""
        # A process that a script forked is a copy of this one, but the door is not its own.
        if self._closed.is_set() or self._process not in (None, os.getpid()):
            return
        self._closed.set()
        with contextlib.suppress(OSError):
            if json.loads(_read(self.door)).get("secret") == self._secret:
                os.remove(self.door)
        if self._listener is not None:
            # On some systems a waiting accept notices only a shutdown, on others only a close.
            with contextlib.suppress(OSError):
                self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()

    def _leave_to_parent(self):
        """In a process that a script forked: nobody there would accept, so the port must not seem to be open."""
        if self._listener is not None:
            self._listener.close()

    def _write_door(self):
        host, port = self._listener.getsockname()
        text = json.dumps(
            {
                "metier_host": 1,
                "address": "%s:%d" % (host, port),
                "secret": self._secret,
                "name": self.name,
                "pid": os.getpid(),
            }
        )
        # Readable by its owner alone from its first moment, and never half written.
        beside = "%s.%d.tmp" % (self.door, os.getpid())
        with contextlib.suppress(FileNotFoundError):
            os.remove(beside)
        file = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(file, "w") as out:
            out.write(text + "\n")
        os.replace(beside, self.door)

    def _accept(self):
        while not self._closed.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                # Out of descriptors for a while, unless the door was closed.
                self._closed.wait(0.1)
                continue
            if not self._places.acquire(blocking=False):
                connection.close()
                continue
            try:
                threading.Thread(target=self._serve, args=(connection,), name="metier-call", daemon=True).start()
            except RuntimeError:  # Out of threads; the caller sees the connection close.
                self._places.release()
                connection.close()

    def _serve(self, connection):
        call = _Call(connection)
        try:
            connection.settimeout(30)
            job = self._job_of(call)
            connection.settimeout(None)
            if job is None:
                return
            call.job = job
            if self._on_main is not None:
                try:
                    self._on_main(lambda: call.run(self._languages))
                except Exception as error:
                    traceback.print_exc()
                    # A call that has begun gives its own answer, on whichever thread it runs.
                    if not call.has_begun:
                        call.say(refused="the function that brings calls to its main thread failed: %s" % _words(error))
                        return
            else:
                self._waiting.put(call)
            call.ended.wait()
        except OSError:
            pass
        except Exception:  # The application goes on, whatever one call brings.
            traceback.print_exc()
        finally:
            connection.close()
            self._places.release()

    def _job_of(self, call):
        line = b""
        while not line.endswith(b"\n"):
            piece = call.connection.recv(65536)
            if not piece:
                return None
            line += piece
            if len(line) > _MOST_REQUEST:
                call.say(refused="the arguments are too long")
                return None
        try:
            request = json.loads(line.decode("utf-8"))
            secret, job = request["secret"], request["job"]
            fits = isinstance(secret, str) and isinstance(job["script"], str) and isinstance(job["arguments"], dict)
        except (ValueError, KeyError, TypeError):
            fits = False
        if not fits:
            call.say(refused="this is no call")
            return None
        if not hmac.compare_digest(secret.encode("utf-8", "replace"), self._secret.encode("ascii")):
            call.say(refused="the secret is not the one in the file of this application")
            return None
        return job


class _Call(object):
    """One connection, one call."""

    def __init__(self, connection):
        self.connection = connection
        self.job = None
        self.has_begun = False
        self.ended = threading.Event()
        self._speaking = threading.Lock()

    def say(self, **reply):
        line = json.dumps(reply, ensure_ascii=True, allow_nan=False, default=_plain) + "\n"
        with self._speaking:
            self.connection.sendall(line.encode("ascii"))

    def run(self, languages):
        """Runs the job on this thread, unless its caller has gone."""
        try:
            if self._is_given_up():
                return
            self.has_begun = True
            self.say(begun=True)
            process = os.getpid()
            try:
                reply = self._reply(languages)
            except BaseException as error:  # A script may raise anything, and the application must go on.
                reply = _failed(error)
            if os.getpid() != process:
                os._exit(0)  # Forked by the script and come to its end: the answer is for the other one to give.
            try:
                self.say(**reply)
            except OSError:
                raise
            except BaseException as error:  # What it returned may raise as well, when it is written down.
                self.say(failed={"kind": "TypeError", "message": "the answer is not JSON: %s" % _words(error)})
        except OSError:
            pass  # The caller has gone; what the script did is done.
        finally:
            self.ended.set()

    def _is_given_up(self):
        # Not ``select``, which fails at the 1,024th open file of an application.
        self.connection.setblocking(False)
        try:
            return not self.connection.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        finally:
            self.connection.setblocking(True)

    def _reply(self, languages):
        job = self.job
        ending = os.path.splitext(job["script"])[1].lower()
        speaker = _Lines(self)
        printed = _Printed()
        out, errors = _as_text(printed), _as_text(speaker)
        with _as_the_script(job), contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            if ending in languages:
                value = languages[ending](job)
            elif ending == ".py":
                value = _call_main(job, printed)
            else:
                return {"refused": "this application runs no %s files" % (ending or "such")}
            speaker.flush_rest()
        if inspect.isawaitable(value) or inspect.isgenerator(value):
            kind = type(value).__name__
            value.close()
            raise TypeError("main returned a %s; it must return the answer itself" % kind)
        return {"result": {"value": _speakable(value), "output": _legal(printed.text())}}


def _call_main(job, printed):
    """What the script answers: what its ``main`` returns, or what it prints."""
    with open(job["script"], "rb") as file:
        written = compile(file.read(), job["script"], "exec")
    code = 0
    try:
        if "main" in written.co_names:
            value = _returned(written, job)
            if value is not None:
                return value
        else:
            runpy.run_path(job["script"], run_name="__main__")
    except SystemExit as end:
        code = end.code
    value = _last_json(printed.text())
    printed.forget()
    if code not in (0, None):
        if not isinstance(value, dict):
            value = {"result": value}
        ended = "exit code %d" % code if isinstance(code, int) else code
        if not value.get("message"):
            value["message"] = "the script ended with %s" % ended
        elif isinstance(value, _Words):
            value["message"] = "the script ended with %s; it printed: %s" % (ended, value["message"])
        value["success"] = False
    return value


def _speakable(value):
    """The value as JSON can hold it: file names that are not UTF-8 lose their odd bytes, nothing else changes."""
    try:
        written = json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain)
    except ValueError as error:
        raise ValueError("the answer is not JSON: %s" % error)
    except RecursionError:
        raise ValueError("the answer is not JSON: it is too deep, or holds itself")
    plain = json.loads(_legal(written))
    below = [(plain, 1)]
    while below:
        item, depth = below.pop()
        if isinstance(item, int) and abs(item) >= 10**308:
            raise ValueError("the answer is not JSON that can be sent: a number has over 300 digits")
        if depth > 100:
            raise ValueError("the answer is not JSON that can be sent: it is over 100 levels deep")
        if isinstance(item, dict):
            below.extend((inner, depth + 1) for inner in item.values())
        elif isinstance(item, list):
            below.extend((inner, depth + 1) for inner in item)
    return plain


def _returned(written, job):
    name = "_metier_script"
    module = types.ModuleType(name)
    module.__file__ = job["script"]
    sys.modules[name] = module
    try:
        exec(written, module.__dict__)
        main = getattr(module, "main", None)
        if not callable(main):
            return None
        if not _reads_standard_input(main):
            return main(**job["arguments"])
        value = main()
        is_number = isinstance(value, int) and not isinstance(value, bool)
        if is_number and {"exit", "SystemExit"} & set(written.co_names):
            # ``sys.exit(main())``: a program answers with what it prints, and returns how it ended.
            raise SystemExit(value)
        return value
    finally:
        sys.modules.pop(name, None)


def _reads_standard_input(main):
    """Whether ``main`` is that of a program: without parameters, or with the command line alone."""
    parameters = list(inspect.signature(main).parameters.values())
    if len(parameters) == 1:
        only = parameters[0]
        return only.name in ("argv", "args") and only.default is not only.empty
    return not parameters


def _last_json(text):
    """The whole text as JSON, else the last line that is a JSON object, else the text as a message."""
    value, found = _object(text)
    lines = [] if found else [line for line in text.splitlines() if line.strip()]
    for at, line in enumerate(reversed(lines)):
        if not line.lstrip().startswith("{"):
            continue
        value, found = _object(line)
        # An object that was cut off or is broken may have told of a failure, which what stands before it does not.
        if not found and (line.startswith('{"') or (at == 0 and line.startswith("{'"))):
            raise ValueError("the output looks like JSON but is not: %s" % value)
        if found:
            break
    if not found:
        text = text.strip()
        if text.startswith("{") and text[1:].lstrip().startswith('"'):
            raise ValueError("the output looks like JSON but is not: it ends in the midst of an object")
        return _Words(success=True, message=text)
    if isinstance(value, _Members) and value.twice is not None:
        raise ValueError("`%s` stands twice in the printed object, so that which one counts cannot be told" % value.twice)
    return value


def _object(text):
    """The value and True, or why it is none and False."""
    try:
        return json.loads(text, object_pairs_hook=_Members), True
    except (ValueError, RecursionError) as error:
        return error, False


class _Words(dict):
    """The answer of a script that printed plain text."""


class _Members(dict):
    """An object that remembers the first member that stood twice in it."""

    def __init__(self, pairs):
        super().__init__(pairs)
        seen, self.twice = set(), None
        if len(pairs) != len(self):
            self.twice = next(name for name, _ in pairs if name in seen or seen.add(name))


@contextlib.contextmanager
def _as_the_script(job):
    """The folder, the path and the environment that the script would have as a program."""
    folder = os.path.dirname(job["script"])
    skill = os.path.abspath(job["skill_dir"])
    facts = {
        "DCC_MCP_SKILL_DIR": job["skill_dir"],
        "DCC_MCP_SKILL_NAME": job["skill_name"],
        "DCC_MCP_TOOL_NAME": job["tool_name"],
        "DCC_MCP_CALL_ID": job["call_id"],
        "DCC_MCP_WORKSPACE_ROOTS": json.dumps(job.get("workspace_roots", [])),
    }
    where, path, modules = os.getcwd(), list(sys.path), set(sys.modules)
    environment = {name: os.environ.get(name) for name in facts}
    writes, arguments, given = sys.dont_write_bytecode, sys.argv, sys.stdin
    try:
        os.chdir(job["skill_dir"])
        os.environ.update(facts)
        sys.path.insert(0, folder)
        sys.argv = [job["script"]]
        sys.stdin = io.TextIOWrapper(io.BytesIO(json.dumps(job["arguments"]).encode("ascii")), encoding="utf-8")
        sys.dont_write_bytecode = True
        yield
    finally:
        with contextlib.suppress(OSError):
            os.chdir(where)
        sys.path[:] = path
        sys.argv, sys.stdin = arguments, given
        sys.dont_write_bytecode = writes
        for name, value in environment.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        for name in set(sys.modules) - modules:
            file = getattr(sys.modules.get(name), "__file__", None)
            if isinstance(file, str) and os.path.abspath(file).startswith(skill + os.sep):
                del sys.modules[name]
        importlib.invalidate_caches()


def _as_text(stream):
    """A stream of text over one of bytes, as programs have theirs: with ``buffer``, ``encoding`` and ``reconfigure``."""
    return io.TextIOWrapper(stream, encoding="utf-8", errors="replace", newline="\n", write_through=True)


class _Printed(io.BytesIO):
    """Standard output of a script, which stays readable whoever closes it."""

    def close(self):
        pass

    def text(self):
        return self.getvalue().decode("utf-8", "replace")

    def forget(self):
        self.seek(0)
        self.truncate()


class _Lines(io.BufferedIOBase):
    """Standard error of a script: progress and log lines, sent as they are written."""

    def __init__(self, call):
        super().__init__()
        self._call = call
        self._rest = b""

    def writable(self):
        return True

    def close(self):
        pass  # What closes a text over it leaves it to the others.

    def write(self, data):
        data = bytes(data)
        lines = (self._rest + data).split(b"\n")
        self._rest = lines.pop()
        for line in lines:
            self._send(line.decode("utf-8", "replace").rstrip("\r"))
        return len(data)

    def flush_rest(self):
        if self._rest:
            self._send(self._rest.decode("utf-8", "replace"))
            self._rest = b""

    def _send(self, line):
        mark = "::progress::"
        if line.startswith(mark):
            with contextlib.suppress(ValueError):
                step = json.loads(line[len(mark) :])
                if isinstance(step, dict) and isinstance(step.get("progress"), (int, float)):
                    total, message = step.get("total"), step.get("message")
                    self._tell(
                        progress={
                            "progress": step["progress"],
                            "total": total if isinstance(total, (int, float)) else None,
                            "message": None if message is None else str(message),
                        }
                    )
                    return
        if line.strip():
            self._tell(log=line)

    def _tell(self, **reply):
        # A caller that has gone is no reason to fail in the middle of the work.
        with contextlib.suppress(OSError, ValueError):
            self._call.say(**reply)


def _failed(error):
    """The failure with the way to it through the script; the way to the script is nobody's concern."""
    way = error.__traceback__
    while way is not None and way.tb_frame.f_code.co_filename in (_failed.__code__.co_filename, "<frozen runpy>", runpy.__file__):
        way = way.tb_next
    try:
        written = "".join(traceback.format_exception(type(error), error, way))
    except BaseException:
        written = ""
    return {"failed": {"kind": type(error).__name__, "message": _words(error), "trace": _legal(written)}}


def _words(error):
    """What an exception says; those that cannot say it are known by their type."""
    try:
        return _legal(str(error))
    except BaseException:
        return type(error).__name__


def _legal(text):
    return text.encode("utf-8", "replace").decode("utf-8")


def _plain(value):
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    return str(value)


def _read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def _main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit("usage: python3 metier_host.py DOOR.json\n\nThe file is written; give it to `metier serve --attach`.")
    host = Host(sys.argv[1])
    process = os.getpid()

    def end(number, _):
        if os.getpid() != process and number == signal.SIGTERM:
            # Inherited by a process that a script forked, which is ended as any other is.
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
            return
        # The file goes first: a script that catches everything may run on for a while.
        host.close()
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    try:
        host.start()
        print("metier_host: attached as %s; serve with --attach %s" % (host.name, host.door), flush=True)
        host.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        host.close()


if __name__ == "__main__":
    _main()
