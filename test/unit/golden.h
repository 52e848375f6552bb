/* golden: texts that are compared whole with a file; UPDATE_GOLDEN=1 writes the file anew. */
#ifndef LAMPDUEL_TEST_GOLDEN_H
#define LAMPDUEL_TEST_GOLDEN_H

void assert_golden(const char *file, const char *text);

#endif
