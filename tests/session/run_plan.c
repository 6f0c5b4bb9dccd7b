/* run_plan.c: a plan that is not one is refused with a message, never a crash. */
#include "greatest.h"

#include "runtime/files/io.h"
#include "runtime/files/modfile.h"
#include "runtime/load/plan_read.h"

#include <stdlib.h>
#include <string.h>

static ModuleFile module;
static Bytes json;

TEST stand_in_parses(void) {
    Plan plan;
    Error error = {0};
    ASSERT_EQ(STATUS_OK, plan_parse(json, &plan, &error));
    ASSERT_EQ(1, plan.tasks);
    ASSERT_EQ(DOMAIN_ball, plan.space[0].domain);
    ASSERT_EQ(1000, plan_coordinates(&plan));
    ASSERT_EQ(999, plan_extent(&plan, plan.tensor[0].extent[0]));
    ASSERT_EQ(BLOCK_gram, plan.task[0].exact.block[0].kind);
    plan_free(&plan);
    PASS();
}

/* Every byte replaced by each of a few others: parsed or refused. */
TEST damage_is_harmless(void) {
    static const char other[] = {'0', '9', '-', '"', '}', ']', 'x', '\0'};
    char *copy = malloc(json.size);
    ASSERT(copy);
    for (size_t i = 0; i < json.size; i++)
        for (size_t k = 0; k < sizeof other; k++) {
            Plan plan;
            Error error = {0};
            memcpy(copy, json.data, json.size);
            copy[i] = other[k];
            if (plan_parse((Bytes){copy, json.size}, &plan, &error) == STATUS_OK)
                plan_free(&plan);
            else
                ASSERT_EQ(STATUS_MODULE_CONTENT, error.status);
        }
    free(copy);
    PASS();
}

TEST truncation_is_refused(void) {
    for (size_t size = 0; size + 2 < json.size; size++) {
        Plan plan;
        ASSERT_EQ(STATUS_MODULE_CONTENT, plan_parse((Bytes){json.data, size}, &plan, NULL));
    }
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    Error error = {0};
    if (module_read(STAND_IN, &module, &error) != STATUS_OK ||
        module_require(&module, ".pde.plan", &json, &error) != STATUS_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    RUN_TEST(stand_in_parses);
    RUN_TEST(damage_is_harmless);
    RUN_TEST(truncation_is_refused);
    module_free(&module);
    GREATEST_MAIN_END();
}
