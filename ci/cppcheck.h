/* What cppcheck must know of headers that it does not read. */
#define cJSON_ArrayForEach(e, a) for (e = (a)->child; e; e = e->next)
