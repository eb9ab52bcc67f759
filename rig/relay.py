"""Between a program and the station's socket: connections that break, and a service that ends, just when an order is on its way."""

import shlex

#: Passes packets on between who connects to the first path and who listens at the second. With the first order it breaks the connection, once: when the
#: service has been `asked`, when it has `answered` and nobody was told, or when who asked was `told`. A process that it is given it kills in the same moment.
PROGRAM = r"""
use strict; use Socket; use IO::Select;
my ($front, $back, $when, $victim) = @ARGV;
my $order = 4;  # StationMessage+Wire.swift
$| = 1;
sub packets { socket(my $made, AF_UNIX, SOCK_SEQPACKET, 0) or die "socket: $!"; $made }
my $listener = packets();
unlink $front;
bind($listener, pack_sockaddr_un($front)) && listen($listener, 8) or die "$front: $!";
chmod 0666, $front;  # who connects need not be root
print "listens\n";
my $broken;
sub break_off { $broken = 1; kill KILL => $victim if $victim; print "has broken\n" }
while (accept(my $client, $listener)) {
    my ($service, $ordered) = (packets(), 0);
    connect($service, pack_sockaddr_un($back)) or next;
    my $both = IO::Select->new($client, $service);
    CONNECTION: while (1) {
        for my $from ($both->can_read) {
            my $comes = $from == $service;
            my $packet;
            last CONNECTION unless defined recv($from, $packet, 65536, 0) and length $packet;
            my $answers = $comes && $ordered && !$broken;
            if ($answers && $when eq "answered") { break_off(); last CONNECTION }
            last CONNECTION unless defined send($comes ? $client : $service, $packet, 0);
            if ($answers && $when eq "told") { break_off(); last CONNECTION }
            next if $comes || ord $packet != $order;
            $ordered = 1;
            if (!$broken && $when eq "asked") { break_off(); last CONNECTION }
        }
    }
}
"""


class Relay:
    """A way to the station's socket that breaks once; `path` is where a program finds it."""

    def __init__(self, rig, name, socket, when, victim=0):
        self._rig, self.path = rig, f"/run/rig/{name}.sock"
        rig.put(PROGRAM, f"/run/rig/{name}.pl")
        self._process = rig.spawn(name, f"perl /run/rig/{name}.pl {shlex.join([self.path, socket, when, str(victim)])}")
        self._said("listens")

    def until_broken(self):
        """Waits until it has broken a connection."""
        self._said("has broken")

    def _said(self, word):
        self._rig.until(lambda: self._process.running() and word in self._process.log(), what=f"a relay that {word}")
