// Files that programs have within themselves. A compiler of C takes them as they are; one of Swift would read each byte as an expression, which
// takes a thousand times as long.
#include "ccarried.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

#define CARRIED(name)                      \
  carried_file carried_##name(void) {      \
    return (carried_file){name, sizeof name}; \
  }

static const unsigned char scanners[] = {
#embed "../../Readers/KnownScanners/scanners.hwdb"
};
CARRIED(scanners)

static const unsigned char first_run_texts[] = {
#embed "../../Station/FirstRun/texts.json"
};
CARRIED(first_run_texts)

static const unsigned char openapi[] = {
#embed "../../Faces/Console/openapi.json"
};
CARRIED(openapi)

static const unsigned char page_texts[] = {
#embed "../../Faces/Console/Pages/texts.json"
};
CARRIED(page_texts)

static const unsigned char page_device_script[] = {
#embed "../../Faces/Console/Pages/Static/device.js"
};
CARRIED(page_device_script)

static const unsigned char page_icon[] = {
#embed "../../Faces/Console/Pages/Static/icon.svg"
};
CARRIED(page_icon)

static const unsigned char page_live_script[] = {
#embed "../../Faces/Console/Pages/Static/live.js"
};
CARRIED(page_live_script)

static const unsigned char page_style[] = {
#embed "../../Faces/Console/Pages/Static/pages.css"
};
CARRIED(page_style)

static const unsigned char template_attendant[] = {
#embed "../../Faces/Console/Pages/Templates/attendant.mustache"
};
CARRIED(template_attendant)

static const unsigned char template_conflicts[] = {
#embed "../../Faces/Console/Pages/Templates/conflicts.mustache"
};
CARRIED(template_conflicts)

static const unsigned char template_device[] = {
#embed "../../Faces/Console/Pages/Templates/device.mustache"
};
CARRIED(template_device)

static const unsigned char template_door[] = {
#embed "../../Faces/Console/Pages/Templates/door.mustache"
};
CARRIED(template_door)

static const unsigned char template_home[] = {
#embed "../../Faces/Console/Pages/Templates/home.mustache"
};
CARRIED(template_home)

static const unsigned char template_journal[] = {
#embed "../../Faces/Console/Pages/Templates/journal.mustache"
};
CARRIED(template_journal)

static const unsigned char template_layout[] = {
#embed "../../Faces/Console/Pages/Templates/layout.mustache"
};
CARRIED(template_layout)

static const unsigned char template_organiser[] = {
#embed "../../Faces/Console/Pages/Templates/organiser.mustache"
};
CARRIED(template_organiser)

static const unsigned char template_outcome[] = {
#embed "../../Faces/Console/Pages/Templates/outcome.mustache"
};
CARRIED(template_outcome)

static const unsigned char template_picture[] = {
#embed "../../Faces/Console/Pages/Templates/picture.mustache"
};
CARRIED(template_picture)

static const unsigned char template_problem[] = {
#embed "../../Faces/Console/Pages/Templates/problem.mustache"
};
CARRIED(template_problem)

static const unsigned char template_sessions[] = {
#embed "../../Faces/Console/Pages/Templates/sessions.mustache"
};
CARRIED(template_sessions)

static const unsigned char template_signin[] = {
#embed "../../Faces/Console/Pages/Templates/signin.mustache"
};
CARRIED(template_signin)

static const unsigned char template_technician[] = {
#embed "../../Faces/Console/Pages/Templates/technician.mustache"
};
CARRIED(template_technician)

static const unsigned char template_verdict[] = {
#embed "../../Faces/Console/Pages/Templates/verdict.mustache"
};
CARRIED(template_verdict)
