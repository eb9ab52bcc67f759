#ifndef CCARRIED_H
#define CCARRIED_H

#include <stddef.h>

/// A file as it was when the program was built. It is there as long as the program runs.
typedef struct {
  const unsigned char *_Nonnull start;
  size_t count;
} carried_file;

carried_file carried_scanners(void);
carried_file carried_first_run_texts(void);
carried_file carried_openapi(void);
carried_file carried_page_texts(void);
carried_file carried_page_device_script(void);
carried_file carried_page_icon(void);
carried_file carried_page_live_script(void);
carried_file carried_page_style(void);
carried_file carried_template_attendant(void);
carried_file carried_template_conflicts(void);
carried_file carried_template_device(void);
carried_file carried_template_door(void);
carried_file carried_template_home(void);
carried_file carried_template_journal(void);
carried_file carried_template_layout(void);
carried_file carried_template_organiser(void);
carried_file carried_template_outcome(void);
carried_file carried_template_picture(void);
carried_file carried_template_problem(void);
carried_file carried_template_sessions(void);
carried_file carried_template_signin(void);
carried_file carried_template_technician(void);
carried_file carried_template_verdict(void);

#endif
