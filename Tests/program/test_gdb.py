"""`debug --gdb` with avr-gdb, with what editors send, and with hostile clients.

The sketch is sketches/debugged/debugged.c, of which every figure is known.

The session lasts 3 s, and the bytes `a`, `b` and `c` arrive at 1.5 s. A turn of the sketch's loop
begins every 10 ms, and its number is added to `total`.
"""
import contextlib
import os
import random
import re
import signal
import socket
import time

import pytest
from gdb_clients import MI, Closed, Debugged, Remote, script
from running import (HAS_PROC, PATIENCE, Failed, expect, free_port, memory_kb, refused, require,
                     run, wait_until)
from wire import KEY, client_hello, end, frame, read_some, reset

pytestmark = pytest.mark.needs("avr-gcc", "avr-gdb")
MINUTES = 1
SOURCE = "Tests/program/sketches/debugged/debugged.c"
LINES = open(SOURCE).read().splitlines()
TURNS = 300  # that begin in the session
TRACE = """{"format": "sentry-trace", "version": 1, "firmware": "classic", "board": "uno", \
"baud": 9600, "duration": 3}
[1.500000, "rx", "abc"]
"""
END = "No more reverse-execution history."


def at(text):
    """A line of the source, as avr-gdb shows it."""
    number, line = next((number, line) for number, line in enumerate(LINES, 1) if text in line)
    return f"{number}\t{line}"


def where(function, text, address=""):
    """A frame, and the line of the source after it."""
    shown = at(text)
    return f"{address}{function} at {SOURCE}:{shown.partition(chr(9))[0]}\n{shown}"


def sum_to(number):
    """What `total` is after so many turns."""
    return number * (number + 1) // 2 & 0xFFFF


def half_written(number):
    """What it is after its high byte has been written in a turn."""
    return sum_to(number) & 0xFF00 | sum_to(number - 1) & 0xFF


@pytest.fixture(scope="module")
def elf(tmp_path_factory):
    path = tmp_path_factory.mktemp("debugged") / "debugged.elf"
    run("avr-gcc", "-mmcu=atmega328p", "-Og", "-gdwarf-2", "-Wall", "-Wextra", "-Werror", "-o",
        path, SOURCE)
    return path


@pytest.fixture(scope="module")
def symbols(elf):
    """The addresses of the sketch's functions and variables."""
    rows = (line.split() for line in run("avr-nm", elf).stdout.splitlines())
    return {row[2]: int(row[0], 16) for row in rows if len(row) == 3}


@pytest.fixture
def server(bench, elf, tmp_path):
    """A session that is recorded."""
    (tmp_path / "a.jsonl").write_text(TRACE)
    with Debugged(tmp_path, bench, "--device", f"avr:{elf}", tmp_path / "a.jsonl") as server:
        yield server


@pytest.fixture
def gdb(elf, server):
    """Runs commands in avr-gdb, connected to that session. Returns what each has printed, without
    the numbers of values."""
    return lambda *commands: [re.sub(r"^\$\d+ = ", "", said)
                              for said in script(elf, server, *commands)[1:]]


# Forwards


def test_breakpoints_stop_before_their_lines_under_their_conditions(gdb):
    said = gdb("break inner", "continue", "print total", "continue", "print total", "delete",
               # avr-gdb 13.1 ends with an internal error if a condition reads an argument.
               "break inner if turns == 150", "continue", "print total", "info breakpoints",
               "delete", "tbreak turn", "continue", "print turns", "info breakpoints")
    stop = where("inner (number={})", "total += number;")
    assert stop.format(1) in said[1], said[1]
    expect("after no turn", said[2], "0")
    assert stop.format(2) in said[3], said[3]
    expect("after a turn", said[4], "1")
    assert stop.format(150) in said[7], said[7]
    expect("after 149 turns", said[8], f"{sum_to(149)}")
    assert "stop only if turns == 150" in said[9], said[9]
    assert where("turn ()", "void turn(void) {") in said[12], said[12]
    expect("turns", said[13], "150")
    expect("a temporary breakpoint", said[14], "No breakpoints or watchpoints.")


def test_a_watchpoint_stops_after_the_write(gdb):
    said = gdb("watch total", "continue", "continue", "continue")
    for step, (old, new) in enumerate([(0, 1), (1, 3), (3, 6)]):
        assert said[1 + step].startswith("Hardware watchpoint 1: total\n\nOld value = "
                                         f"{old}\nNew value = {new}\ninner (number={step + 1})"), \
            said[1 + step]


def test_watchpoints_of_reads_and_accesses_stop_at_those(gdb):
    said = gdb("rwatch heard", "continue", "continue", "delete", "awatch heard", "continue",
               "continue", "print/c bytes")
    read = where("0x\\w+ in __vector_18 ()", "bytes[heard++").replace("(", r"\(").replace(
        ")", r"\)").replace("[", r"\[").replace("++", r"\+\+").replace("*", r"\*")
    for count, stop in enumerate((said[1], said[2])):
        assert re.fullmatch(
            rf"Hardware read watchpoint 1: heard\n\nValue = {count} '\\00{count}'\n{read}",
            stop), stop
    access = "Hardware access (read/write) watchpoint 2: heard\n\n"
    assert said[5].startswith(access + r"Old value = 1 '\001'" + "\n" + r"New value = 2 '\002'"), \
        said[5]
    assert said[6].startswith(access + r"Value = 2 '\002'"), said[6]
    expect("bytes", said[7], "{97 'a', 98 'b', 0 '\\000', 0 '\\000'}")


def test_steps_never_end_in_an_interrupt(gdb):
    """Interrupts come all the time, and are not seen unless a breakpoint is in them."""
    count = 60
    said = gdb("break turn if turns == 5", "continue", "print interrupts", *["step"] * count,
               "print interrupts", *["next"] * count, "print interrupts", *["stepi"] * count,
               "print interrupts")
    steps = said[3:]
    for step in steps:
        assert "__vector" not in step and "count" not in step, step
    counts = [int(text) for text in said if text.isdecimal()]
    assert all(before < after for before, after in zip(counts, counts[1:])), counts
    # In order, whatever was interrupted.
    lines = [step.rpartition("\n")[2] for step in steps[:9]]
    wanted = ["index = turns & 1;", "turns++;", "doubled = outer(turns);",
              "uint16_t result = inner(number);", "total += number;"]
    expect("the first steps", lines[:len(wanted)], [at(text) for text in wanted])


def test_next_finish_until_and_advance_end_where_they_should(gdb):
    said = gdb("break turn if turns == 5", "continue", "next", "next", "next", "next", "step",
               "break inner", "continue", "finish", "finish", "delete", "tbreak added", "continue",
               *["next"] * 4, "until", "finish", f"advance {at('while').split()[0]}")
    expect("next", said[5], at("points[index].y += 1;"))
    expect("step", said[6], at("points[index].x = index;"))
    assert said[9].endswith("\nValue returned is $1 = 14"), said[9]
    assert said[10].endswith("\nValue returned is $2 = 15"), said[10]
    expect("in the loop", said[15], at("for (uint8_t index"))
    expect("next, back in the loop", said[17], at("for (uint8_t index"))
    expect("until, behind the loop", said[18], f"{LINES.index('  return all;') + 2}\t}}")
    assert "Value returned is $3 = 0 '\\000'" in said[19], said[19]
    expect("advance", said[20], where("main ()", "while (ticks"))


def test_the_stack_is_that_of_the_calls_in_an_interrupt_too(gdb):
    said = gdb("break inner if turns == 7", "continue", "backtrace", "frame 2", "info locals",
               "delete", "break __vector_11", "continue", "backtrace", "print ticks", "up",
               "print before", "delete", "break count", "continue", "backtrace 2", "finish")
    frames = re.sub("0x[0-9a-f]+", "ADDRESS", said[2])
    expect("the stack", re.sub(rf" at {SOURCE}:\d+", "", frames), "\n".join([
        "#0  inner (number=7)", "#1  ADDRESS in outer (number=<optimized out>)",
        "#2  ADDRESS in turn ()", "#3  ADDRESS in main ()"]))
    expect("locals", said[4], "index = 0 '\\000'")
    stack = said[8].splitlines()
    assert stack[0].startswith("#0  __vector_11 ()"), stack
    assert re.fullmatch(rf"#1  0x\w+ in main \(\) at {SOURCE}:\d+", stack[-1]), stack
    expect("ticks", said[9], "6")
    expect("of the interrupted function", said[11], "6")
    # From a call in an interrupt's handler, avr-gdb finds the handler but not what it interrupts:
    # GCC does not describe that the handler has pushed SREG.
    assert re.match(rf"#0  count \(by=.*\n#1  0x\w+ in __vector_7 \(\) at {SOURCE}", said[15]), \
        said[15]
    assert "in __vector_7 ()" in said[16], said[16]


def test_structs_arrays_registers_and_all_memories_are_shown(gdb, symbols):
    said = gdb("monitor help", "break inner if turns == 3", "continue", "print points[0]",
               "print/x points[1].name", "print sizeof(points)", "print &points[1]",
               "x/2uh &total", f"x/4ub {symbols['table']}", "x/4xb 0x810000", "print/x stored",
               "info registers pc SP SREG r1", "info registers", "print $sp", "x/i $pc",
               "info mem", "print bytes", "ptype points")
    expect("a struct", said[3], "{x = 0 '\\000', y = 501, name = \"ab\\000\", mode = SWEEP, "
           "low = 5 '\\005', high = 17 '\\021'}")
    expect("an array", said[4], "{0x63, 0x64, 0x65, 0x0}")
    expect("a size", said[5], "20")
    expect("a pointer", said[6],
           f"(volatile struct point *) {symbols['points'] + 10:#x} <points+10>")
    expect("halfwords", said[7], f"{symbols['total']:#x} <total>:\t{sum_to(2)}\t5")
    expect("flash", said[8], f"{symbols['table']:#x} <table>:\t11\t22\t33\t44")
    assert re.fullmatch(r"0x810000( <stored>)?:\t0xa1\t0xb2\t0xc3\t0xd4", said[9]), said[9]
    expect("EEPROM", said[10], "{0xa1, 0xb2, 0xc3, 0xd4}")
    assert f"{symbols['inner']:#x} <inner>" in said[11], said[11]
    expect("registers", [line.split()[0] for line in said[12].splitlines()],
           [f"r{number}" for number in range(32)] + ["SREG", "SP", "PC2", "pc"])
    # Four calls, and two registers that `turn` saves.
    assert said[13].endswith(" 0x8008f5"), said[13]
    assert said[14].startswith(f"=> {symbols['inner']:#x} <inner>:\tlds\tr18, 0x"), said[14]
    for part in ("flash", "rw"):
        assert part in said[15], said[15]


# Backwards


def test_every_step_has_its_reverse(gdb):
    """From a place inside a call, each command and its reverse end where they began."""
    said = gdb("break inner if turns == 100", "continue", "print total", "next", "print total",
               "reverse-next", "print total", "stepi", "stepi", "reverse-stepi", "reverse-nexti",
               "print $pc", "reverse-finish", "reverse-step", "reverse-step", "print turns",
               "step", "step", "step", "finish", "reverse-step", "info symbol $pc")
    expect("forwards and back", [said[2], said[4], said[6]],
           [f"{sum_to(99)}", f"{sum_to(100)}", f"{sum_to(99)}"])
    assert "inner" in said[10] or said[10].endswith(at("total += number;")), said[10]
    assert said[11].endswith("<inner>"), said[11]
    assert where("outer (number=100)", "uint16_t result = inner(number);") in said[12], said[12]
    expect("reverse-step", said[13], where("turn ()", "doubled = outer(turns);"))
    expect("reverse-step", said[14], at("turns++;"))
    expect("before the line", said[15], "99")
    expect("step", said[16], at("doubled = outer(turns);"))


def test_reverse_continue_ends_before_the_last_write(gdb):
    """A write is that of a byte, the low one last."""
    said = gdb("continue", "print turns", "watch total", *["reverse-continue"] * 4, "print total",
               "delete", "break inner", "reverse-continue", "continue")
    assert END in said[0], said[0]
    expect("turns", said[1], str(TURNS))
    values = [sum_to(TURNS), half_written(TURNS), sum_to(TURNS - 1), half_written(TURNS - 1),
              sum_to(TURNS - 2)]
    for number, (old, new) in enumerate(zip(values, values[1:])):
        stop = said[3 + number]
        assert f"Old value = {old}\nNew value = {new}\n" in stop, stop
        assert f"inner (number={TURNS - number // 2})" in stop, stop
        assert stop.endswith(at("total += number;")), stop
    expect("before it", said[7], str(sum_to(TURNS - 2)))
    assert where(f"inner (number={TURNS - 1})", "total += number;") in said[10], said[10]
    assert where(f"inner (number={TURNS})", "total += number;") in said[11], said[11]


def test_the_ends_of_the_recording_are_stops_and_not_exits(gdb):
    said = gdb("reverse-continue", "reverse-stepi", "info registers pc", "continue", "print turns",
               "stepi", "continue", "print turns", "reverse-continue", "info registers pc",
               "break inner", "continue")
    for place, text in (("begin", said[0]), ("begin", said[1]), ("end", said[3]), ("end", said[5]),
                        ("end", said[6]), ("begin", said[8])):
        assert END in text and "exited" not in text, (place, text)
    for registers in (said[2], said[9]):
        assert "0x0 <__vectors>" in registers, registers
    expect("turns", [said[4], said[7]], [str(TURNS), str(TURNS)])
    assert where("inner (number=1)", "total += number;") in said[11], said[11]


def test_the_last_write_is_found_from_the_last_use(gdb, symbols):
    """A watchpoint backwards ends at the write, and one in an interrupt's handler too."""
    said = gdb("monitor goto 2.5s", "maintenance flush register-cache", "print turns",
               "watch heard", "reverse-continue", "print heard", "backtrace 1", "reverse-continue",
               "reverse-continue", "reverse-continue")
    expect("turns", said[2], "250")
    for stop, old in ((said[4], 3), (said[7], 2), (said[8], 1)):
        assert f"Old value = {old} '\\00{old}'\nNew value = {old - 1} '\\00{old - 1}'" in stop, stop
        assert "in __vector_18 ()" in stop and stop.endswith(at("bytes[heard++")), stop
    expect("before it", said[5], "2 '\\002'")
    # The start-up code sets the variable to 0, which changes no value, so that GDB goes on.
    assert END in said[9], said[9]


# Changes


def test_a_change_is_followed_and_said_to_be_no_recording(gdb, symbols):
    said = gdb("break inner if turns == 100", "continue", "monitor time", "set var total = 1000",
               "print total", "monitor time", "next", "print total", "set var $r24 = 5",
               f"set var *(unsigned char *) {symbols['points']} = 9", "print points[0].x",
               "set var {unsigned char} 0x810001 = 0x55", "x/2xb 0x810000", "delete",
               "break inner if turns == 120", "continue", "print total", "monitor time")
    assert "changed" not in said[2], said[2]
    expect("at once", said[4], "1000")
    assert "changed" in said[5], said[5]
    expect("afterwards", said[7], "1100")
    expect("a byte", said[10], "9 '\\t'")
    assert said[12].endswith("0xa1\t0x55"), said[12]
    assert "the session is no longer the recorded one" in "".join(said[6:16]), said
    expect("20 turns later", said[16], f"{1000 + sum_to(119) - sum_to(99)}")
    assert "changed" in said[17], said[17]


def test_before_a_change_the_recording_is_as_it_was(gdb):
    said = gdb("break inner if turns == 100", "continue", "set var total = 1024", "delete",
               "watch total", "continue", "reverse-continue", "reverse-continue", "print total",
               "delete", "break inner if turns == 90", "reverse-continue", "print total",
               "delete", "break inner if turns == 110", "continue", "print total")
    assert "Old value = 1024\nNew value = 1124" in said[5], said[5]
    assert "Old value = 1124\nNew value = 1024" in said[6], said[6]
    expect("the write before", said[8], str(half_written(99)))
    expect("90 turns", said[12], str(sum_to(89)))
    expect("the change is made again", said[16], str(1024 + sum_to(109) - sum_to(99)))


# Clients come and go


@pytest.mark.xdist_group("real time")
def test_ctrl_c_stops_a_live_program_and_it_goes_on(bench, elf, tmp_path):
    with Debugged(tmp_path, bench, "--device", f"avr:{elf}", "--pty",
                  tmp_path / "port") as server, MI(elf) as mi:
        mi.ask(f"target-select remote 127.0.0.1:{server.port}")
        for _ in range(2):
            begin = len(mi.lines)
            mi.ask("exec-continue", "running")
            time.sleep(0.3)
            mi.process.send_signal(signal.SIGINT)
            stop = mi.until(r"\*stopped", since=begin)
            assert 'signal-name="SIGINT"' in stop, stop
        mi.ask("break-insert -t turn")
        assert "breakpoint-hit" in mi.resume("exec-continue --reverse")
        mi.ask("break-insert -t turn")
        assert "breakpoint-hit" in mi.resume("exec-continue")


def test_a_client_can_detach_and_another_goes_on_where_it_was(elf, server):
    said = script(elf, server, "break inner if turns == 100", "continue", "detach", "print turns")
    assert "detached" in said[3], said[3]
    for number in (101, 102):
        # At its end, avr-gdb detaches.
        said = script(elf, server, "print turns", f"break inner if turns == {number}", "continue")
        expect("the one before", said[1], f"$1 = {number - 1}")
    assert server.process.poll() is None, server.said()


@pytest.mark.parametrize("end, status", [("kill", 0), ("monitor help", None)])
def test_only_kill_ends_the_session(elf, server, end, status):
    script(elf, server, end)
    if status is None:
        with Remote(server) as remote:
            expect("still there", len(remote.registers()), 35)
    else:
        wait_until("it goes on", lambda: server.process.poll() is not None)
    expect("the status", server.process.poll(), status)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("state", ["alone", "held", "running"])
def test_signals_end_it(server, state, number):
    if state != "alone":
        remote = Remote(server)
    if state == "running":
        remote.monitor("goto 3s")
        # Searches the whole session, for what is not there.
        remote.ok("Z2,800060,1")
        remote.send("bc")
    server.process.send_signal(number)
    status = wait_until("it does not end", lambda: server.process.poll())
    require(status in (128 + number, -number), f"status {status}")


def test_what_cannot_be_debugged_is_one_sentence(bench, elf, tmp_path):
    device = ["--device", f"avr:{elf}"]
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused(69, f"127.0.0.1:{port}", bench, "debug", *device, "--send", "a", "--gdb", port)
    refused(64, "is not an address to listen on", bench, "debug", *device, "--send", "a", "--gdb",
            "99999")
    bare = tmp_path / "bare.elf"
    run("avr-strip", "-o", bare, elf)
    refused(65, "has no symbols", bench, "debug", "--device", f"avr:{bare}", "--send", "a", "--gdb",
            "0")
    refused(65, "is a trace of the sketch", bench, "debug", "--device",
            "avr:firmware/classic/classic.hex", "--symbols", ".build/firmware/classic.elf", "--gdb",
            "0", "traces/guarded/sweep-two-cycles.jsonl")


# monitor


def test_monitor_commands_move_through_the_session_and_explain_it(server, symbols):
    with Remote(server) as remote:
        def turns():
            return remote.number(symbols["turns"])

        assert "last write VARIABLE" in remote.monitor("help")
        assert remote.monitor("time").startswith("0 s, cycle 0"), remote.monitor("time")
        assert remote.monitor("goto 2.301s").startswith("2.301"), remote.monitor("time")
        expect("turns at 2.301 s", turns(), 231)
        remote.monitor("mark here")
        assert "byte 2, `b`, arrived" in remote.monitor("byte 2 arrived")
        # 9600 baud: a byte takes 1.04 ms.
        assert re.match(r"1\.502\d* s", remote.monitor("time")), remote.monitor("time")
        expect("heard", remote.number(symbols["heard"], 1), 1)
        remote.monitor("byte 2 read")
        remote.stop("s")
        assert re.match(r"1\.502\d* s", remote.monitor("time")), remote.monitor("time")
        assert remote.monitor("event 1").startswith("event 1\n1.5 s")
        expect("heard", remote.number(symbols["heard"], 1), 0)
        assert "2.301" in remote.monitor("marks") and "here" in remote.monitor("marks")
        remote.monitor("back to here")
        expect("turns at the mark", turns(), 231)
        assert "The last write of heard is next" in remote.monitor("last write heard")
        expect("before it", remote.number(symbols["heard"], 1), 2)
        assert "D13" in remote.monitor("pins")
        assert "9600 baud" in remote.monitor("uart") or "9615 baud" in remote.monitor("uart")
        assert "servo" in remote.monitor("servo")
        assert remote.monitor("why")
        for wrong in ("goto", "goto x", "byte 9", "goto 9s", "back to nowhere", "nothing",
                      "last write nothing", "lost 1", "pulse 1", "singlestep x", "event 2"):
            before = remote.registers()
            said = remote.monitor(wrong)
            assert said.count("\n") == 1 and said[0].isupper(), (wrong, said)
            expect(f"{wrong} moves nothing", remote.registers(), before)


# Editors, which are not run: avr-gdb sends the packets, driven by the MI commands that the editors'
# sources have (cortex-debug 1.13, gdb.ts, external.ts and mi2.ts; Native Debug 0.27, mi2.ts;
# Seer 2.8, SeerGdbWidget.cpp). FILE is the program and PORT the server's.

BREAKPOINT = r'\*stopped,reason="breakpoint-hit",.*bkptno="\d+",.*func="{}"'
STEPPED = r'\*stopped,reason="end-stepping-range",.*func="{}"'
SHOWN = [  # what each shows after a stop in `inner`, in its own words
    ("thread-list-ids", r'thread-ids=\{thread-id="1"\},current-thread-id="1"'),
    ("thread-info 1", r'threads=\[\{id="1",target-id="[^"]+",'),
    ("stack-info-depth --thread 1 1000", 'depth="4"'),
    ("stack-list-frames --thread 1 0 3", 'func="inner".*func="outer".*func="turn".*func="main"'),
    ("stack-list-variables --thread 1 --frame 0 --simple-values", 'name="number".*value="5"'),
    ("data-list-register-names", r'"r0","r1",.*"SREG","SP","PC2","pc"'),
    ("stack-select-frame --thread 1 0", ""),
    ("data-list-register-values x", r'\{number="24",value="0x5"\}'),
    ("data-list-register-values --skip-unavailable N", r'\{number="24",value="5"\}'),
    ('var-create --thread 1 --frame 0 points_ @ "points"', 'numchild="2"'),
    ('var-list-children --all-values "points_"', 'exp="0"'),
    ("var-update --all-values points_", r"changelist=\[\]"),
    ("data-evaluate-expression --thread 1 --frame 0 turns", 'value="5"'),
    ('data-read-memory-bytes "&total" 2', 'contents="0a00"'),
    ("data-disassemble -s $pc -e $pc+4 -- 2", 'func-name="inner"'),
]
EDITORS = {
    "cortex-debug attaches": [
        "gdb-set mi-async on", 'interpreter-exec console "set print demangle on"',
        "enable-pretty-printing", 'interpreter-exec console "set output-radix 0xa"',
        'file-exec-and-symbols "FILE"', "target-select extended-remote PORT",
        'interpreter-exec console "monitor halt"', ("break-insert inner", 'number="1"'),
        "break-condition 1 turns==5", ("exec-continue --thread 1", BREAKPOINT.format("inner")),
        *SHOWN, ("exec-next --thread 1", STEPPED.format("inner")),
        ("exec-next-instruction --thread 1", STEPPED.format("inner")),
        ("exec-finish --thread 1", r'\*stopped,reason="function-finished",.*func="outer"'),
        "break-delete 1", ("break-watch -a heard", 'hw-awpt=\\{number="2"'),
        ("exec-continue --thread 1", r'\*stopped,.*reason="access-watchpoint-trigger"'),
        'interpreter-exec console "monitor reset halt"', "target-disconnect"],
    "cortex-debug launches": [
        "gdb-set mi-async on", 'file-exec-and-symbols "FILE"', "target-select extended-remote PORT",
        'interpreter-exec console "monitor reset halt"', "target-download",
        'interpreter-exec console "monitor reset halt"', "break-insert -t --function main",
        ("exec-continue --all", BREAKPOINT.format("main")),
        ("exec-step --thread 1", STEPPED.format("main")), "target-detach"],
    "Native Debug": [
        "gdb-set target-async on", "list-features", 'environment-directory "."',
        'file-exec-and-symbols "FILE"', "target-select remote PORT", "break-insert -f inner",
        "break-condition 1 turns==5", ("exec-continue", BREAKPOINT.format("inner")), *SHOWN,
        ("exec-step --reverse", STEPPED.format("outer")),
        ("exec-next --reverse", STEPPED.format("turn")),
        ("exec-continue --reverse", r'\*stopped,.*frame=\{addr="0x00000000"'),
        "gdb-set var total=77", ("exec-continue", BREAKPOINT.format("inner")), "target-detach"],
    "Seer": [
        "gdb-set mi-async on", "gdb-set pagination off", "gdb-set non-stop off",
        "target-select extended-remote PORT", 'file-exec-and-symbols "FILE"',
        "break-insert inner", "break-condition 1 turns==5",
        ("exec-continue", BREAKPOINT.format("inner")), *SHOWN, ("thread-info", 'state="stopped"'),
        ("exec-next --reverse", STEPPED.format("outer")),
        ("exec-finish --reverse", STEPPED.format("turn")),
        ("exec-step-instruction --reverse", STEPPED.format("turn")),
        ("exec-until inner", r'\*stopped,reason="(location-reached|breakpoint-hit)"'),
        ("break-watch total", "wpt="),
        ("exec-continue --reverse", r'\*stopped,.*reason="watchpoint-trigger"')],
}


@pytest.mark.parametrize("editor", EDITORS)
def test_what_an_editor_asks_of_gdb_is_answered(elf, server, editor):
    with MI() as mi:
        for step in EDITORS[editor]:
            command, pattern = step if isinstance(step, tuple) else (step, "")
            command = command.replace("FILE", str(elf)).replace("PORT", f":{server.port}")
            if command.startswith("exec-"):
                said = mi.resume(command)
                assert re.match(pattern, said), (command, said)
            else:
                said = mi.ask(command)
                assert re.search(pattern, said), (command, said)


# The protocol


def test_each_packet_is_answered_as_gdb_requires(server):
    with Remote(server) as remote:
        supported = remote.ask("qSupported:multiprocess+;swbreak+;hwbreak+;vContSupported+")
        for feature in ("PacketSize=", "QStartNoAckMode+", "qXfer:features:read+", "ReverseStep+",
                        "qXfer:memory-map:read+", "ReverseContinue+", "vContSupported+"):
            assert feature in supported, supported
        assert re.match("T05.*thread:1;", remote.ask("?"))
        actions = remote.ask("vCont?").split(";")
        expect("vCont", (actions[0], {*"cCsSrt"} - {*actions[1:]}), ("vCont", set()))
        for packet, answer in {
                "vMustReplyEmpty": "", "qC": "QC1", "qfThreadInfo": "m1", "qsThreadInfo": "l",
                "Hg1": "OK", "Hg0": "OK", "Hc-1": "OK", "T1": "OK", "qAttached": "1",
                "qOffsets": "", "qTStatus": "", "Z0,100,2": "OK", "z0,100,2": "OK", "Z1,0,2": "OK",
                "z1,0,2": "OK", "Z2,800100,2": "OK", "z2,800100,2": "OK", "M800100,0:": "OK",
                "X800100,0:": "OK", "!": "OK"}.items():
            expect(packet, remote.ask(packet), answer)
        for packet in ("T7", "Z0,8000,2", "Z1,ffffff,2", "Z2,900000,2", "Z2,0,1", "m900000,4",
                       "m8000,1", "m810400,1", "p99", "P99=0", "G00", "M800100,2:00", "Mzz",
                       "vFlashErase:8000,80"):
            assert remote.ask(packet).startswith("E"), packet
        for packet in ("vCont;c:1:", "vCont;q", "vCont", "bx", "jThreads", "vAttach;1", "qXfer:x"):
            assert not remote.ask(packet).startswith("T"), packet
        for document, text in (("features:read:target.xml", "<architecture>avr"),
                               ("memory-map:read:", 'start="0x800000"')):
            whole = remote.ask(f"qXfer:{document}:0,1000")
            assert whole.startswith("l") and text in whole, whole
            expect("a part of it", remote.ask(f"qXfer:{document}:5,7"), "m" + whole[6:13])
            expect("behind it", remote.ask(f"qXfer:{document}:ffff,7"), "l")
        # Registers by number and together, and memory in hexadecimal digits and in bytes.
        together = bytes.fromhex(remote.ask("g"))
        apart = b"".join(bytes.fromhex(remote.ask(f"p{number:x}")) for number in range(35))
        expect("registers", apart, together)
        expect("bytes", remote.ask("x0,80"), "b" + remote.memory(0, 0x80).decode("latin-1"))
        # The same contents are no change; others are.
        flash = remote.memory(0, 0x180)
        for packet in (b"vFlashErase:0,180", b"vFlashWrite:0:" + escaped(flash), b"vFlashDone",
                       b"X0,8:" + escaped(flash[:8]), b"G" + together.hex().encode()):
            expect("loading what is there", remote.ask(packet), "OK")
        assert "changed" not in remote.monitor("time")
        expect("a register", remote.ask("P18=7f"), "OK")
        expect("its value", remote.ask("p18"), "7f")
        assert "changed" in remote.monitor("time")
        remote.stop("s")
        # In extended mode, the session begins again.
        remote.send("k")
        remote.stop("?")
        expect("after k", remote.pc(), 0)


def escaped(data):
    return b"".join(b"}%c" % (byte ^ 0x20) if byte in b"#$}*" else bytes([byte]) for byte in data)


def test_reading_changes_nothing(server, symbols):
    """UDR0 and the other registers of the chip can be looked at before the program reads them."""
    with Remote(server) as remote:
        remote.ok(f"Z1,{symbols['__vector_18']:x},2")
        for byte in b"abc":
            remote.stop("c")
            for _ in range(3):
                found = remote.memory(0x800000, 0x100)
                # UCSR0A with RXC0, and the byte.
                expect("UDR0", (found[0xC0] & 0x80, found[0xC6]), (0x80, byte))
        remote.stop("c")
        expect("bytes", remote.memory(symbols["bytes"], 3), b"abc")


def test_steps_stay_out_of_interrupts_unless_they_may_go_there(server, symbols):
    handlers = range(symbols["__vector_18"], symbols["inner"])
    with Remote(server) as remote:
        remote.ok(f"Z1,{symbols['turn']:x},2")
        remote.stop("c")
        remote.ok(f"z1,{symbols['turn']:x},2")
        for packet in ("s", "bs"):
            for _ in range(400):
                remote.stop(packet)
                pc = remote.pc()
                assert pc not in handlers and pc >= 0x68, hex(pc)
        remote.monitor("singlestep interruptible")
        for packet in ("s", "bs"):
            seen = set()
            for _ in range(400):
                remote.stop(packet)
                seen.add(remote.pc())
            assert seen & {*handlers} and symbols["count"] in seen, packet


# Random walks


def state(remote):
    """The registers, and the data space."""
    return remote.ask("g") + "".join(
        remote.memory(0x800000 + start, 0x480).hex() for start in (0, 0x480))


def walk(remote, states, rng, count, watched):
    """Moves back and forth in what has been recorded, and compares each place with the record."""
    pcs = [int.from_bytes(bytes.fromhex(text[70:78]), "little") for text in states]
    byte = 78 + 2 * watched
    written = [before[byte:byte + 2] != after[byte:byte + 2]
               for before, after in zip(states, states[1:])]
    at = 0
    for number in range(count):
        kind = rng.choice(["steps", "break", "watch"])
        forwards = rng.random() < 0.5
        if kind == "steps":
            for _ in range(rng.randint(1, 30)):
                wanted = at + (1 if forwards else -1)
                if wanted not in range(len(states)):
                    break
                remote.stop("s" if forwards else "bs")
                at = wanted
        else:
            if kind == "break":
                pc = rng.choice(pcs)
                point = f"1,{pc:x},2"
                hits = [index for index, other in enumerate(pcs) if other == pc]
            else:
                point = f"2,{0x800000 + watched:x},1"
                hits = [index + forwards for index, is_hit in enumerate(written) if is_hit]
            hits = [hit for hit in hits if (hit > at if forwards else hit < at)]
            if not hits:
                continue
            remote.ok("Z" + point)
            remote.stop("c" if forwards else "bc")
            remote.ok("z" + point)
            at = min(hits) if forwards else max(hits)
        found = state(remote)
        require(found == states[at], f"move {number}: {kind}, {'on' if forwards else 'back'}, to "
                f"{at}:\n{found}\n{states[at]}")


def test_random_walks_find_what_the_run_had(bench, elf, tmp_path, symbols, request):
    (tmp_path / "a.jsonl").write_text(TRACE)
    arguments = (tmp_path, bench, "--device", f"avr:{elf}", tmp_path / "a.jsonl")
    rng = random.Random(request.config.option.seed)
    times = [1.5005] + [round(rng.uniform(0.01, 2.99), 6) for _ in range(5)]
    recorded = {}
    # Only forwards.
    with Debugged(*arguments) as server, Remote(server) as remote:
        remote.monitor("singlestep interruptible")
        for at in sorted(times):
            remote.monitor(f"goto {at}s")
            # From between an instruction and an interrupt to the next instruction.
            remote.stop("s")
            recorded[at] = [state(remote)]
            for _ in range(600):
                remote.stop("s")
                recorded[at].append(state(remote))
    with Debugged(*arguments) as server, Remote(server) as remote:
        remote.monitor("singlestep interruptible")
        for at in times:
            remote.monitor(f"goto {at}s")
            remote.stop("s")
            walk(remote, recorded[at], rng, 40, symbols["interrupts"] - 0x800000)


# Hostile clients


def connect(server):
    connection = socket.create_connection(("127.0.0.1", server.port), PATIENCE)
    connection.settimeout(PATIENCE)
    return connection


def admitted(server):
    with contextlib.suppress(Closed):
        return Remote(server)


def closed(connection):
    """Reads until the server has closed the connection. Returns what it has sent."""
    data = b""
    with contextlib.suppress(ConnectionError):
        while more := connection.recv(65_536):
            data += more
    return data


def damaged_checksums(server, rng):
    with connect(server) as connection:
        for packet in (b"$g#00", b"$g#zz", b"$#01", b"$qC#b4"[:-1] + b"5"):
            connection.sendall(packet)
            expect(f"to {packet}", connection.recv(1), b"-")
        connection.sendall(b"$qC#b4")
        expect("to a good one", connection.recv(100), b"+$QC1#c5")


def endless_packet(server, rng):
    with connect(server) as connection:
        connection.sendall(b"$")
        for _ in range(64):
            connection.sendall(b"a" * 1_000_000)
        connection.sendall(b"#01$qC#b4")
        answer = b""
        while len(answer) < 9:
            answer += connection.recv(100)
        expect("after it", answer, b"-+$QC1#c5")
        connection.sendall(b"$" + b"}" * 1_000_000)


def breakpoints_everywhere(server, rng):
    with Remote(server) as remote:
        for address in range(0, 0x8000, 2):
            remote.send(f"Z1,{address:x},2")
        for _ in range(0x4000):
            expect("a breakpoint", remote.receive(), "OK")
        for packet in ("c", "c", "bc", "s"):
            remote.stop(packet)
        answers = [remote.ask(f"Z4,{0x800100 + number % 2_000:x},{1 + number // 2_000}")
                   for number in range(6_000)]
        assert answers[0] == "OK" and set(answers) == {"OK", "E01"}, set(answers)
        remote.stop("c")


def reset_in_the_middle(server, rng):
    for data in (b"$", b"$m80", b"$c#63", b"$bc#c5", b"+$qXfer:features:read:target.xml:0,fff#",
                 b"$vFlashErase:0,8000#5e", b"\x03"):
        connection = connect(server)
        connection.sendall(data)
        time.sleep(0.02)
        reset(connection)


def unread_answers(server, rng):
    with connect(server) as connection:
        connection.setblocking(False)
        block = Remote.packed("m800000,800") * 1_000
        deadline = time.monotonic() + 2
        with contextlib.suppress(ConnectionError):
            while time.monotonic() < deadline:
                with contextlib.suppress(BlockingIOError):
                    connection.send(block)
        reset(connection)


def packets_during_a_run(server, rng):
    with Remote(server) as remote:
        remote.ok("Z1,7ffe,2")
        remote.send("c")
        with contextlib.suppress(Failed):
            for _ in range(200):
                remote.send("m800100,10")
            remote.socket.sendall(b"\x03" * 10_000)
        require(remote.stop() is not None, "no stop")


def silent(server, rng):
    """One that sends nothing makes way for the next; the first that has sent something stays."""
    with connect(server) as first, Remote(server) as remote:
        expect("the silent one", closed(first), b"")
        for _ in range(3):
            with connect(server) as other:
                expect("another", closed(other), b"")
        expect("the first", remote.pc() % 2, 0)


def other_protocols(server, rng):
    for data in (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", client_hello(), b"\0\0\0\0",
                 b"SSH-2.0-x\r\n", b"X45."):
        with connect(server) as connection:
            connection.sendall(data)
            expect(f"to {data[:20]}", closed(connection), b"")
    # Once a second at most.
    expect("what is said", server.said().count("was refused: it begins as an HTTP"), 1)


def junk(server, rng):
    """Packets that are nearly right, and bytes that are none."""
    templates = [b"m%x,%x", b"M%x,%x:00", b"X%x,%x:\0", b"Z%x,%x", b"Z1,%x,%x", b"Z2,%x,%x", b"p%x",
                 b"z3,%x,%x", b"P%x=%x", b"vCont;r%x,%x:1", b"vCont;s:%x", b"qRcmd,%x", b"s%x",
                 b"c%x", b"bs", b"bc", b"S05;%x", b"qXfer:memory-map:read::%x,%x", b"H%x", b"T%x",
                 b"vFlashErase:%x,%x", b"vFlashWrite:%x:%x", b"vFlashDone", b"qSupported:%x",
                 b"qRcmd," + b"goto 1s".hex().encode(), b"R%x", b"!", b"?", b"g", b"G%x"]
    for _ in range(12):
        with connect(server) as connection, contextlib.suppress(OSError):
            for _ in range(60):
                text = rng.choice(templates)
                numbers = tuple(rng.choice([0, 1, 2, 0x100, 0x800100, 0x810000, 0xFFFFFFFF,
                                            rng.getrandbits(rng.randrange(1, 70))])
                                for _ in range(text.count(b"%")))
                text = text % numbers
                if rng.random() < 0.2:
                    text = text[:rng.randrange(len(text) + 1)] + rng.randbytes(rng.randrange(9))
                # A kill is no attack.
                connection.sendall(Remote.packed(text.replace(b"k", b"K")))
                if rng.random() < 0.2:
                    connection.sendall(rng.choice([b"\x03", b"-", b"+", rng.randbytes(9)]).replace(
                        b"k", b"K"))
            read_some(connection, wait=0.05)
            end(connection, rng)


@pytest.mark.parametrize("attack", [
    damaged_checksums, endless_packet, breakpoints_everywhere, reset_in_the_middle, unread_answers,
    packets_during_a_run, silent, other_protocols, junk], ids=lambda attack: attack.__name__)
def test_hostile_clients_do_no_harm(server, attack, request):
    before = memory_kb(server.process) if HAS_PROC else 0
    attack(server, random.Random(request.config.option.seed))
    # A client with unread bytes is still there for a moment.
    with wait_until("it admits no other client", lambda: admitted(server)) as remote:
        remote.monitor("goto 1s")
        remote.ok("Z1,0,2")
        assert "replaylog:begin" in remote.stop("bc") or remote.pc() == 0
        assert server.process.poll() is None, server.said()
    if HAS_PROC:
        grown = memory_kb(server.process) - before
        require(grown < 96_000, f"it takes {grown} KiB more")


# Live sessions


@pytest.mark.xdist_group("real time")
def test_senders_of_a_live_session_wait_while_it_is_held(bench, elf, symbols, tmp_path):
    link = tmp_path / "port"
    with Debugged(tmp_path, bench, "--device", f"avr:{elf}", "--pty", link) as server:
        def heard():
            return remote.number(symbols["heard"], 1)

        def run_for(seconds):
            remote.send("c")
            time.sleep(seconds)
            remote.interrupt()
            assert remote.stop().startswith("T02"), "no stop"
            return moment()

        def moment():
            return float(remote.monitor("time").split()[0])

        with Remote(server) as remote:
            wait_until("the pty", link.exists)
            sender = os.open(link, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
            try:
                # The kernel moves bytes on to another buffer a little later.
                sent = 0
                while more := fill(sender):
                    sent += more
                    require(sent < 100_000, f"{sent} bytes are accepted")
                    time.sleep(0.3)
                expect("time stands still", (moment(), heard()), (0, 0))
                passed = run_for(1.0)
                require(0.5 < passed < 3, f"{passed} s have passed")
                expect("bytes", remote.memory(symbols["bytes"], 4), b"uuuu")
                held = heard(), remote.registers()
                time.sleep(0.5)
                expect("held again", (heard(), remote.registers()), held)
                expect("no time has passed", moment(), passed)
                # 960 bytes a second leave the kernel's buffers.
                wait_until("the sender still waits", lambda: run_for(1.0) and fill(sender), 60)
            finally:
                os.close(sender)


def fill(descriptor):
    """Writes to a port until it takes no more. Returns how much it has taken."""
    count = 0
    with contextlib.suppress(BlockingIOError):
        while count < 1_000_000:
            count += os.write(descriptor, b"u" * 64)
    return count


@pytest.mark.xdist_group("real time")
@pytest.mark.parametrize("way, option", [("rfc2217", "--no-reset"), ("websocket", "--raw")])
def test_senders_over_the_network_wait_too(bench, elf, symbols, tmp_path, way, option):
    port = free_port()
    with Debugged(tmp_path, bench, "--device", f"avr:{elf}", "--pty", tmp_path / "port", option,
                  f"--{way}", f"127.0.0.1:{port}") as server, \
            Remote(server) as remote, socket.create_connection(("127.0.0.1", port)) as sender:
        # The sketch opens its port.
        remote.ok(f"Z1,{symbols['turn']:x},2")
        remote.stop("c")
        remote.ok(f"z1,{symbols['turn']:x},2")
        held = remote.monitor("time")
        if way == "websocket":
            sender.sendall(b"\r\n".join([
                b"GET / HTTP/1.1", b"Host: 127.0.0.1", b"Upgrade: websocket",
                b"Connection: Upgrade", b"Sec-WebSocket-Version: 13",
                b"Sec-WebSocket-Key: " + KEY.encode(), b"", b""]) + frame(b"ab"))
        else:
            sender.sendall(b"ab")
        time.sleep(0.5)
        expect("held", remote.number(symbols["heard"], 1), 0)
        expect("time stands still", remote.monitor("time"), held)
        remote.ok(f"Z2,{symbols['heard']:x},1")
        for count in (1, 2):
            remote.stop("c")
            expect("heard", remote.number(symbols["heard"], 1), count)
        # The sketch counts a byte before it stores it.
        expect("bytes", remote.memory(symbols["bytes"], 1), b"a")
        # What is recorded so far goes backwards, too.
        remote.stop("bc")
        expect("before it", remote.number(symbols["heard"], 1), 1)
        assert "replaylog:begin" in [remote.stop("bc") for _ in range(3)][-1]
