/* What cppcheck cannot know of jansson, whose header it does not read: its loops are macros. */
#define json_array_foreach(a, i, v) for (i = 0; (v = json_array_get(a, i)) != 0; i++)
#define json_object_foreach(o, k, v) for (k = first(o); (v = json_object_get(o, k)) != 0;)
