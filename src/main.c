#include <stdio.h>

int main(void)
{
	puts("lampduel " LAMPDUEL_VERSION);
	return 0;
}
