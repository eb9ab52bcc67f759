"""What a ticket system tells at length, told by a process of its own: it takes longer to write than is measured. A ticket system takes nothing of a
station's processors, so this one takes what nobody else wants of them."""

import array
import os
import socket


class Teller:
    """Answers on connections that it is handed. `prepare` is called once in its process, `answer` there for each."""

    def __init__(self):
        self.ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        if os.fork() != 0:
            theirs.close()
            return
        try:
            self.ours.close()
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
            self.prepare()
            self._serve(theirs)
        finally:
            os._exit(0)

    def prepare(self):
        """Makes what every answer needs."""

    def answer(self, *words):
        """The bytes to tell, for the words that `tell` was given."""
        raise NotImplementedError

    def _serve(self, theirs):
        while True:
            message, descriptors, _, _ = socket.recv_fds(theirs, 256, 1)
            if not message:
                return
            with socket.socket(fileno=descriptors[0]) as connection:
                connection.setblocking(True)
                connection.sendall(self.answer(*message.split(b" ")))

    def tell(self, connection, *words):
        """Answers on a connection, some time."""
        self.ours.sendmsg([b" ".join(words)], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [connection.fileno()]))])
