"""Certificates of servers beside a station, by an authority of a test's own."""

import subprocess
from pathlib import Path


def make(folder, name, host, address=None):
    """In a folder `ca.pem`, and `NAME.pem` with `NAME-key.pem` for a host, which may be asked by its address, too."""
    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    openssl("req", "-x509", *key, "-keyout", "ca-key.pem", "-out", "ca.pem", "-days", "90", "-subj", "/CN=Rig CA")
    openssl("req", *key, "-keyout", f"{name}-key.pem", "-out", f"{name}.csr", "-subj", f"/CN={host}")
    names = f"DNS:{host}" + (f",IP:{address}" if address else "")
    Path(folder, "extensions").write_text(f"subjectAltName={names}\nbasicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth\n")
    openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca-key.pem", "-CAcreateserial", "-days", "90", "-extfile", "extensions",
            "-out", f"{name}.pem")
