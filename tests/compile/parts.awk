# Counts the lines that are left of a file with the switches in -v off="DC_NO_A DC_NO_B". What follows
# from a switch (devcloth.h, Parts) follows here too.
BEGIN {
    count = split(off, names, " ")
    for (i = 1; i <= count; i++) is_off[names[i]] = 1
    if ("DC_ONLY_SPARSE" in is_off)
        is_off["DC_NO_CLOTH"] = is_off["DC_NO_RIBBONS"] = is_off["DC_NO_COLLISIONS"] = 1
    if ("DC_NO_COLLISIONS" in is_off || "DC_NO_DIRECT" in is_off) is_off["DC_NO_DRAPE"] = 1
    if ("DC_NO_DIRECT" in is_off) is_off["DC_NO_GLOBAL_IMPACTS"] = 1
    if ("DC_NO_CLOTH" in is_off && "DC_NO_RIBBONS" in is_off) is_off["DC_NO_WORLD"] = 1
    if ("DC_NO_CLOTH" in is_off && "DC_NO_DRAPE" in is_off) is_off["DC_NO_BENDING"] = 1
    if ("DC_NO_CLOTH" in is_off && "DC_NO_COLLISIONS" in is_off)
        is_off["DC_NO_MESH"] = 1
    if ("DC_NO_CLOTH" in is_off && "DC_NO_DIRECT" in is_off && "DC_NO_CG" in is_off &&
        !("DC_ONLY_SPARSE" in is_off))
        is_off["DC_NO_SPARSE"] = 1
    count = 0
}
/^#if/ {
    depth++
    is_kept[depth] = 1
    is_part[depth] = $2 ~ /^DC_(NO|ONLY)_/
    if ($1 == "#ifndef" && $2 ~ /^DC_(NO|ONLY)_/) is_kept[depth] = !($2 in is_off)
    if ($1 == "#ifdef" && $2 ~ /^DC_(NO|ONLY)_/) is_kept[depth] = ($2 in is_off)
}
/^#else/ { if (!is_kept[depth]) is_kept[depth] = 1; else if (is_part[depth]) is_kept[depth] = 0 }
{
    kept = 1
    for (i = 1; i <= depth; i++) if (!is_kept[i]) kept = 0
    count += kept
}
/^#endif/ { depth-- }
END { print count }
