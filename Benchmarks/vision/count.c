/* A plugin of qemu's that counts what a program executes: instructions, and how many of them are on vectors (NEON, SSE). Built and used by
   ../frames.py. qemu's own header is in no package, so what is used of it is declared here; qemu checks the version. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEEN __attribute__((visibility("default")))

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct plugin_info;
enum plugin_op { add_u64 };
typedef void (*translated)(plugin_id, struct qemu_plugin_tb *);
typedef void (*ended)(plugin_id, void *);

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, translated);
void qemu_plugin_register_atexit_cb(plugin_id, ended, void *);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *, enum plugin_op, void *, uint64_t);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
char *qemu_plugin_insn_disas(const struct qemu_plugin_insn *);
const char *qemu_plugin_insn_symbol(const struct qemu_plugin_insn *);

SEEN int qemu_plugin_version = 1;

struct block {
    struct block *next;
    const char *function;
    uint64_t runs, instructions, vectors;
};
static struct block *blocks;
static bool functions, arm;

/* "add v0.16b, v1.16b, v2.16b", "ldp q0, q1, [x0]"; "paddb xmm0, xmm1", but not "addsd xmm0, xmm1". */
static bool on_vectors(const char *text) {
    const char *space = strpbrk(text, " \t");
    if (!space) return false;
    if (!arm) {
        size_t length = (size_t)(space - text);
        bool scalar = length > 2 && text[length - 2] == 's' && (text[length - 1] == 's' || text[length - 1] == 'd');
        return !scalar && (strstr(space, "xmm") || strstr(space, "ymm"));
    }
    for (const char *at = space; (at = strpbrk(at, "vq")); at++) {
        char *end;
        if (at[-1] != ' ' && at[-1] != '\t' && at[-1] != '{') continue;
        if (at[1] < '0' || at[1] > '9') continue;
        strtol(at + 1, &end, 10);
        if (*at == 'q' || *end == '.') return true;
    }
    return false;
}

static void translate(plugin_id id, struct qemu_plugin_tb *tb) {
    (void)id;
    struct block *block = calloc(1, sizeof *block);
    if (!block) abort();
    block->instructions = qemu_plugin_tb_n_insns(tb);
    for (size_t index = 0; index < block->instructions; index++) {
        struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(tb, index);
        char *text = qemu_plugin_insn_disas(instruction);
        block->vectors += text && on_vectors(text);
        free(text);
        if (index == 0 && functions) block->function = qemu_plugin_insn_symbol(instruction);
    }
    block->next = blocks;
    blocks = block;
    qemu_plugin_register_vcpu_tb_exec_inline(tb, add_u64, &block->runs, 1);
}

static void tell(plugin_id id, void *nothing) {
    (void)id, (void)nothing;
    uint64_t instructions = 0, vectors = 0;
    for (struct block *block = blocks; block; block = block->next) {
        instructions += block->runs * block->instructions;
        vectors += block->runs * block->vectors;
        if (functions && block->runs)
            fprintf(stderr, "in %s %" PRIu64 " %" PRIu64 "\n", block->function && *block->function ? block->function : "?",
                    block->runs * block->instructions, block->runs * block->vectors);
    }
    fprintf(stderr, "instructions %" PRIu64 " vectors %" PRIu64 "\n", instructions, vectors);
}

/* Arguments: functions=on tells what was executed by function, too, a line for each piece of it. */
SEEN int qemu_plugin_install(plugin_id id, const struct plugin_info *info, int count, char **arguments) {
    /* The first member is the target's name. */
    arm = strcmp(*(const char *const *)info, "aarch64") == 0;
    for (int index = 0; index < count; index++) functions |= strcmp(arguments[index], "functions=on") == 0;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
    qemu_plugin_register_atexit_cb(id, tell, NULL);
    return 0;
}
