"use strict";
// The code that stands behind the # of an address, which no server is sent: into its field, and out of the address.
const code = document.getElementById("code");
if (code && location.hash.length > 1) {
  code.value = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
}
