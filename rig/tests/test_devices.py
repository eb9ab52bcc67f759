"""The rig itself, without scangate: what is typed, pulsed and lit in it is what is read there."""

import keyboard
from case import RigCase
from picture import Picture
from machine import MachineError
from outputs import assert_nothing_lost
from rig import FAULTY_CAMERA, MS, PATIENCE
from sets import release

# Key codes of Linux (linux/input-event-codes.h) by position on a US keyboard.
LETTERS = dict(zip("abcdefghijklmnopqrstuvwxyz",
                   [30, 48, 46, 32, 18, 33, 34, 35, 23, 36, 37, 38, 50, 49, 24, 25, 16, 19, 31, 20, 22, 47, 17, 45, 21, 44]))
DIGITS = dict(zip("1234567890", range(2, 12)))
LEFT_SHIFT, ENTER, SLASH, MINUS, ALTGR, LEFT_CTRL, RIGHT_BRACE, LEFT_ALT, KEYPAD_1, KEYPAD_2 = 42, 28, 53, 12, 100, 29, 27, 56, 79, 80


@release
class Devices(RigCase):
    def read_keys(self, node, name="keys", grab=False):
        process = self.rig.spawn(name, f"keys read {node}{' grab' if grab else ''}")
        process.says("ready")
        return process

    def pressed(self, process, last=ENTER):
        """Codes of the keys pressed, once the last one is up again."""
        self.rig.until(lambda: any(line.endswith(f" {last} 0") for line in process.log().splitlines()), what="the last key up")
        events = [line.split() for line in process.log().splitlines() if line[0].isdigit()]
        return [int(code) for _, code, value in events if value == "1"]

    def plug_scanner(self, slot=0, serial="SN0001", **more):
        return self.rig.plug(slot, "0c2e", "0901", "Metrologic", "Honeywell Scanner", serial, **more)

    def test_text_of_a_us_scanner(self):
        keys = self.read_keys(self.plug_scanner().node)
        self.rig.type(0, "Az-/9")
        self.assertEqual(self.pressed(keys), [LEFT_SHIFT, LETTERS["a"], LETTERS["z"], MINUS, SLASH, DIGITS["9"], ENTER])

    def test_text_of_a_german_scanner(self):
        keys = self.read_keys(self.plug_scanner().node)
        self.rig.type(0, "Zy-/=@", layout="de")
        self.assertEqual(self.pressed(keys), [
            LEFT_SHIFT, LETTERS["y"], LETTERS["z"], SLASH, LEFT_SHIFT, DIGITS["7"], LEFT_SHIFT, DIGITS["0"], ALTGR, LETTERS["q"], ENTER])

    def test_control_keys_and_numbers_on_the_keypad(self):
        keys = self.read_keys(self.plug_scanner().node)
        self.rig.type(0, ["\x1d", keyboard.alt_code("12"), keyboard.Key(0x04, keyboard.SHIFT)])
        self.assertEqual(self.pressed(keys), [LEFT_CTRL, RIGHT_BRACE, LEFT_ALT, KEYPAD_1, KEYPAD_2, LEFT_SHIFT, LETTERS["a"], ENTER])

    def test_long_texts_on_two_scanners_at_once_arrive_whole(self):
        self.plug_scanner(0)
        self.plug_scanner(1, "SN0002")
        texts = {0: "abcdefghij" * 30, 1: "klmnopqrst" * 30}
        readers = {slot: self.read_keys(self.rig.devices[slot].node, f"keys{slot}") for slot in texts}
        typing = [self.rig.start_typing(slot, text, gap_us=2000) for slot, text in texts.items()]
        for each in typing:
            each.finish()
        for slot, text in texts.items():
            self.assertEqual(self.pressed(readers[slot]), [LETTERS[letter] for letter in text] + [ENTER])

    def test_node_comes_and_goes(self):
        node = self.plug_scanner().node
        self.assertEqual(self.rig.property(node, "ID_SERIAL_SHORT"), "SN0001")
        self.assertEqual(self.rig.property(node, "ID_VENDOR_ID"), "0c2e")
        self.assertEqual(self.rig.property(node, "ID_MODEL_ID"), "0901")
        keys = self.read_keys(node)
        self.rig.unplug(0)
        self.rig.wait_until(f"!exists {node}", f"has {keys.log_path} gone")
        self.rig.replug(0)
        node = self.rig.devices[0].node
        self.assertTrue(self.rig.ok(f"[ -c {node} ]"))

    def test_text_cut_by_unplugging_is_not_whole(self):
        self.plug_scanner()
        typing = self.rig.start_typing(0, "a" * 500, gap_us=5000)
        self.rig.unplug(0)
        self.assertFalse(typing.whole())

    def test_identical_scanners_differ_by_port(self):
        nodes = [self.plug_scanner(slot, serial="").node for slot in (0, 1)]
        self.assertEqual([self.rig.property(node, "ID_SERIAL_SHORT") for node in nodes], [None, None])
        self.assertEqual([self.rig.property(node, "ID_PATH") for node in nodes], [f"platform-dummy_hcd.{slot}-usb-0:1:1.0" for slot in (0, 1)])

    def test_composite_scanner_has_two_nodes(self):
        device = self.plug_scanner(functions=("keyboard", "keyboard"))
        self.assertEqual(len(set(device.nodes)), 2)
        keys = self.read_keys(device.nodes[1])
        self.rig.type(0, "b", function=1)
        self.assertEqual(self.pressed(keys), [LETTERS["b"], ENTER])

    def test_grab_is_exclusive(self):
        node = self.plug_scanner().node
        self.assertFalse(self.rig.grabbed(node))
        bystander = self.read_keys(node, "bystander")
        owner = self.read_keys(node, "owner", grab=True)
        self.assertTrue(self.rig.grabbed(node))
        self.rig.type(0, "a")
        self.assertEqual(self.pressed(owner), [LETTERS["a"], ENTER])
        self.assertEqual(bystander.log(), "ready\n")
        owner.stop()
        self.assertFalse(self.rig.grabbed(node))

    def test_lamps_of_a_keyboard(self):
        node = self.plug_scanner().node
        self.rig.sh(f"echo 1 > /sys/class/input/{node.split('/')[-1]}/device/input*::capslock/brightness")
        self.rig.until(lambda: [bits for _, bits in self.rig.led_reports(0, since=self.since)][-1:] == [2], what="Caps lamp on")

    def test_permissions_by_a_rule(self):
        self.rig.udev_rule("90-test", 'SUBSYSTEM=="input", KERNEL=="event*", ATTRS{idVendor}=="0c2e", GROUP="root", MODE="0600"\n')
        self.addCleanup(self.rig.udev_rule, "90-test", None)
        node = self.plug_scanner().node
        self.assertEqual(self.rig.sh(f"stat -c '%a %G' {node}").split(), ["600", "root"])
        readable = f"setpriv --reuid=gate --regid=gate --init-groups test -r {node}"
        self.assertFalse(self.rig.ok(readable))
        self.rig.set_mode(node, 0o660, "root:input")
        self.assertTrue(self.rig.ok(readable))

    def test_packets_on_the_wire(self):
        quiet = self.rig.watch_wire()
        self.assertEqual(self.rig.packets(quiet), [])
        wire = self.rig.watch_wire()
        # Of its own, of nobody's, and by a name: whatever is tried is seen.
        self.rig.sh("for to in 127.0.0.1/9 203.0.113.9/80; do timeout 1 bash -c ': < /dev/tcp/'$to; done; timeout 2 getent hosts nowhere.example; true", check=False)
        seen = {(packet.protocol, packet.destination, packet.port) for packet in self.rig.packets(wire)}
        self.assertLessEqual({("tcp", "127.0.0.1", "9"), ("tcp", "203.0.113.9", "80")}, seen)
        self.assertIn(("udp", "53"), {(protocol, port) for protocol, _, port in seen})

    def test_clock_is_trusted_as_told(self):
        # adjtimex gives TIME_ERROR (5) for a clock that nothing keeps right.
        state = "perl -e '$t = qq(\\0) x 208; print syscall(159, $t)'"
        for trusted in (True, False):
            self.rig.set_clock_trust(trusted)
            self.assertEqual(self.rig.sh(state) != "5", trusted)

    def test_power_cut_takes_what_was_not_synced(self):
        self.rig.mount_station()
        writer = self.rig.spawn("writer", "bash -c 'cd /station; echo kept > kept; sync kept .; echo lost > lost; mv kept moved; echo written; sleep infinity'")
        writer.says("written")
        self.assertEqual(self.rig.sh("cd /station; ls lost moved").split(), ["lost", "moved"])
        self.rig.cut_power(writer)
        self.assertEqual(self.rig.sh("cd /station; ls; cat kept").split(), ["kept", "lost+found", "kept"])

    def test_pulses_on_a_line(self):
        self.rig.sh("pulse /run/rig/gpiochip 1 50 3 20")
        pulses = self.rig.pulses("RELAY1", self.since)
        self.assertEqual(len(pulses), 3)
        for pulse in pulses:
            self.assert_length(pulse, 50)
        self.assertEqual(self.rig.edges("RELAY0", self.since), [])

    def test_pulse_in_a_guest_that_stood_still(self):
        """The control tells for how long, and that excuses the pulse."""
        self.rig.spawn("pulse", "pulse /run/rig/gpiochip 1 2000 1")
        self.rig.until(lambda: self.rig.pulses("RELAY1", self.since), what="the pulse")
        self.rig.machine.halt(3)
        (pulse,) = self.rig.until(lambda: [pulse for pulse in self.rig.pulses("RELAY1", self.since) if pulse.length], what="its end")
        self.assertGreater(pulse.length, 2500 * MS, "the guest did not stand still in the pulse")
        self.assertGreater(self.rig.stood_still(pulse.at, pulse.at + pulse.length), 2800 * MS)
        self.assert_length(pulse, 2000)

    def test_input_line(self):
        for level in (1, 0):
            self.rig.set_input("DOOR", level)
            self.assertEqual(self.rig.level("DOOR"), level)

    def test_lamp(self):
        for count, brightness in enumerate((255, 0), start=1):
            self.rig.sh(f"echo {brightness} > /sys/class/leds/gate:red:deny/brightness")
            self.rig.until(lambda: len(self.rig.led_changes("gate:red:deny", self.since)) == count, what=f"change {count} of the lamp")
        on, off = self.rig.led_changes("gate:red:deny", self.since)
        self.assertEqual((on.value, off.value), (255, 0))
        self.assertGreater(off.at, on.at)

    def test_text_of_a_serial_scanner(self):
        node = self.rig.plug_serial(0, "05e0", "1701", "Symbol", "Symbol Bar Code Scanner", "SN0003").node
        self.assertTrue(node.startswith("/dev/ttyACM"))
        self.assertEqual(self.rig.property(node, "ID_SERIAL_SHORT"), "SN0003")
        reader = self.rig.spawn("tty", f"bash -c 'exec < {node}; stty -F {node} raw -echo; echo ready; exec head -c 9'")
        reader.says("ready")
        self.rig.type(0, "Zy-/=@ä")
        self.assertEqual(reader.started.result(PATIENCE)[0], 0)
        self.assertEqual(self.rig.get(reader.log_path), "ready\nZy-/=@ä\r".encode())

    def test_serial_text_cut_by_unplugging_does_not_come_after_all(self):
        node = self.rig.plug_serial(0, "05e0", "1701").node
        reader = self.rig.spawn("tty", f"bash -c 'stty -F {node} raw -echo; exec cat {node}'")
        self.rig.wait_until(f"opened {reader.pid} {node}")
        typing = self.rig.start_typing(0, "a" * 500, gap_us=5000)
        self.rig.wait_until(f"filled {reader.log_path}")
        self.rig.unplug(0)
        self.assertFalse(typing.whole())
        self.assertLess(len(reader.log()), 500)
        self.rig.replug(0)
        node = self.rig.devices[0].node
        again = self.rig.spawn("tty-again", f"bash -c 'stty -F {node} raw -echo; exec cat {node}'")
        self.rig.wait_until(f"opened {again.pid} {node}")
        self.rig.type(0, "b", enter=False)
        self.rig.wait_until(f"filled {again.log_path}")
        self.assertEqual(again.log(), "b")

    def test_serial_text_that_waits_in_the_port_is_lost_by_unplugging(self):
        self.rig.plug_serial(0, "05e0", "1701")
        typing = self.rig.start_typing(0, "a" * 50, gap_us=0)
        # Nobody reads: all is written, and nothing leaves.
        self.rig.until(typing.is_written, what="all of it in the port")
        self.rig.unplug(0)
        self.assertFalse(typing.whole())
        self.rig.remove(0)

    def test_buzzer_on_a_pwm_chip(self):
        self.rig.sh("""cd /sys/class/pwm/pwmchip0; [[ $(readlink device) == */pwm-sim ]]
            echo 0 > export; cd pwm0; echo 500000 > period; echo 250000 > duty_cycle; echo 1 > enable; echo 0 > enable; cd ..; echo 0 > unexport""")
        last = self.rig.pwm_changes(self.since)[-2:]
        self.assertEqual([change[1:] for change in last], [(500_000, 250_000, True), (500_000, 250_000, False)])
        self.assertGreater(last[1].at, last[0].at)

    def test_tones_of_a_speaker(self):
        # Two events as a program writes them: type 18, code 2, and the frequency; the kernel puts in the time.
        tone = "".join(f"\\x{byte:02x}" for byte in b"\0" * 16 + bytes([18, 0, 2, 0]) + (1000).to_bytes(4, "little"))
        off = "".join(f"\\x{byte:02x}" for byte in b"\0" * 16 + bytes([18, 0, 2, 0, 0, 0, 0, 0]))
        self.rig.sh(f"""for name in /sys/class/input/event*/device/name; do [[ $(< $name) != 'Gate Speaker' ]] || break; done
            node=${{name%/device/name}}; printf '{tone}' > /dev/input/${{node##*/}}; sleep 0.1; printf '{off}' > /dev/input/${{node##*/}}""")
        tones = self.rig.until(lambda: len(self.rig.tones(self.since)) == 2 and self.rig.tones(self.since), what="a tone and its end")
        self.assertEqual([tone.frequency for tone in tones], [1000, 0])
        self.assertGreaterEqual(tones[1].at - tones[0].at, 99 * MS)

    def test_line_that_is_let_go_follows_its_pull(self):
        self.addCleanup(self.rig.set_pull, "RELAY1", "down")
        self.rig.set_pull("RELAY1", "up")
        self.rig.watch_level("RELAY1")
        self.rig.sh("pulse /run/rig/gpiochip 1 50 2 50")  # ends at 0, and lets go
        self.rig.until(lambda: self.rig.levels("RELAY1", self.since)[-1].level == 1, what="the line back at its pull")
        self.assertEqual(self.rig.level("RELAY1"), 1)
        self.assertEqual(self.rig.edges("RELAY1", self.since)[-1].level, 0)
        self.rig.set_pull("RELAY1", "down")
        self.assertEqual([edge.level for edge in self.rig.levels("RELAY1", self.since)], [1, 0, 1, 0, 1, 0, 1, 0])

    def test_what_has_happened_is_told_at_once(self):
        """That something is not told proves that it was not: nothing may be on its way."""
        for count in range(1, 21):
            self.rig.machine.write("/sys/class/leds/gate:red:deny/brightness", str(count % 2))
            self.assertEqual(len(self.rig.led_changes("gate:red:deny", self.since)), count)
        for count in range(1, 6):
            self.rig.sh("pulse /run/rig/gpiochip 1 1 1")
            self.assertEqual(len(self.rig.pulses("RELAY1", self.since)), count)
        self.rig.put("[Service]\nType=oneshot\nExecStart=/bin/echo it is said\n", "/run/systemd/system/said.service")
        for count in range(1, 4):
            self.rig.sh("systemctl start said")
            self.assertEqual(len([line for line in self.rig.journal("said.service", self.since) if line.endswith(": it is said")]), count)
        self.assertEqual(self.rig.unit("said.service", "ActiveState"), "inactive")
        self.assertEqual(self.rig.main_pid("said.service"), 0)
        self.assertEqual(self.rig.main_pid("systemd-journald.service"), int(self.rig.sh("systemctl show -P MainPID systemd-journald")))

    def test_journal_goes_on_in_its_next_file(self):
        self.rig.put("[Service]\nType=oneshot\nExecStart=/bin/echo it is said\n", "/run/systemd/system/said.service")
        for count in range(1, 4):
            self.rig.sh("systemctl start said")
            self.assertEqual(len([line for line in self.rig.journal("said.service", self.since) if line.endswith(": it is said")]), count)
            self.rig.sh("journalctl --rotate")

    def test_trace_that_lacks_something_is_no_proof(self):
        instance = "/sys/kernel/tracing/instances/small"
        self.rig.sh(f"mkdir {instance}; echo 4 > {instance}/buffer_size_kb; for i in {{1..500}}; do echo $i; done > {instance}/trace_marker")
        trace = self.rig.follow(f"{instance}/trace_pipe")
        with self.assertRaisesRegex(MachineError, "LOST"):
            for line in trace.lines():
                assert_nothing_lost(line)
        self.rig.stop_following()
        self.rig.sh(f"rmdir {instance}")

    def test_one_wedged_thread_leaves_the_others_running(self):
        # The program's one thread halts, and only while it is wedged.
        counter = self.rig.spawn("counter", "levels /proc/uptime")
        self.rig.wait_until(f"filled {counter.log_path}")

        def grows():
            before = counter.log()
            self.rig.pause(0.3)
            return counter.log() != before

        self.assertTrue(grows())
        wedge = self.rig.wedge_thread(counter.pid, "levels")
        self.assertFalse(grows())
        wedge.stop()
        self.assertTrue(grows())
        wedge = self.rig.wedge_thread(counter.pid, "levels")
        self.rig.kill(counter.pid)
        self.assertEqual(counter.started.result(PATIENCE)[0], 137)
        self.assertEqual(wedge.started.result(PATIENCE)[0], 0)


@release
class Cameras(RigCase):
    def frame(self, node):
        """A frame as an application has it from the camera: (format, width, height), and its bytes."""
        words = self.rig.sh(f"camera read {node} /run/rig/taken").split()
        taken = self.rig.get("/run/rig/taken")
        self.assertEqual(len(taken), int(words[3]))
        return (words[0], int(words[1]), int(words[2])), taken

    def test_what_is_shown_is_what_applications_get(self):
        for fourcc in ("YUYV", "GREY"):
            camera = self.rig.plug_camera(fourcc)
            for codes in ((), ("One-code",), ("Two-codes-1", "Two-codes-2")):
                self.rig.show(*codes)
                kind, taken = self.frame(camera.node)
                self.assertEqual(kind, (fourcc, 640, 480))
                shown = Picture.of(*codes).frame(fourcc)
                self.assertEqual(len(taken), len(shown))
                self.assertNotEqual(taken, shown, "a frame without noise")
                even = bytes(value & 0xFE for value in range(256))
                self.assertEqual(taken.translate(even), shown.translate(even))
            camera.sensor.stop()

    def test_jpeg_frames(self):
        camera = self.rig.plug_camera("MJPG")
        self.rig.show("One-code")
        kind, taken = self.frame(camera.node)
        self.assertEqual(kind, ("MJPG", 640, 480))
        self.assertEqual(taken, Picture.of("One-code").frame("MJPG"), "the JPEG, and nothing behind it")

    def test_camera_is_told_as_one_by_udev(self):
        camera = self.rig.plug_camera()
        for node in (camera.node, FAULTY_CAMERA):
            self.assertTrue(self.rig.property(node, "ID_V4L_CAPABILITIES").startswith(":capture:"))

    def test_camera_is_pulled_while_it_streams(self):
        _, taken = self.frame(FAULTY_CAMERA)
        self.assertGreater(len(set(taken)), 8, "a test picture has colours")
        watch = self.rig.spawn("watch", f"camera watch {FAULTY_CAMERA}")
        watch.says("frame")
        self.rig.pull_camera()
        self.rig.wait_until(f"has {watch.log_path} No such device")
        self.rig.replug_camera()
        self.frame(FAULTY_CAMERA)

    def test_camera_fails_as_told(self):
        for control, words in (("Disconnect", "No such device"), ("Inject Fatal Streaming Error", "Input/output error")):
            watch = self.rig.spawn("watch", f"camera watch {FAULTY_CAMERA}")
            watch.says("frame")
            self.rig.fault(control)
            self.rig.wait_until(f"has {watch.log_path} {words}")
            self.assertEqual(watch.started.result(PATIENCE)[0], 1)
        for control, words in (("Inject VIDIOC_REQBUFS Error", "REQBUFS"), ("Inject VIDIOC_STREAMON Error", "STREAMON"), ("Inject VIDIOC_QBUF Error", "QBUF")):
            self.rig.fault(control)
            self.assertRegex(self.rig.sh(f"camera read {FAULTY_CAMERA} /run/rig/taken 2>&1", check=False), words)
            self.frame(FAULTY_CAMERA)
