# A chart of horizontal bars: a bar for each line of DATA, the first on top, and a panel for each TITLE. A line has a label
# and a value for each panel. The background is transparent; the colours show on white and on black.
#
#   gnuplot -c bars.gnuplot DATA CHART TITLE...
#
# The colour of text has a contrast of 4.5 on either.

text = '#767676'
uuidx = 0x3b82d0
others = 0x9a9a9a
colour(label) = label[1:13] eq 'uuid_generate' || label[1:5] eq 'uuidx' ? uuidx : others

set datafile separator '\t'
stats ARG1 using 2 nooutput
bars = STATS_records
panels = ARGC - 2
width = 860.0
height = 84.0 + 30 * bars

set terminal svg noenhanced size width, height font 'sans-serif,14'
set output ARG2
set style fill solid noborder
set border 2 linecolor rgb text
unset tics
set tmargin at screen 1 - 36 / height
set bmargin at screen 40 / height
set yrange [bars - 0.5:-0.5]
set xrange [0:*] noextend
set key at screen 1 - 10 / width, screen 22 / height right vertical maxrows 1 reverse Left samplen 1 textcolor rgb text

room(column) = 8.2 * system(sprintf("cut -f %d '%s' | wc --max-line-length", column, ARG1)) / width
left = room(1)
panel_width = (1 - left) / panels
set multiplot
set label 2 (strstrt(ARGV[3], ' a second') ? 'more is better' : 'less is better') at screen 20 / width, screen 14 / height left textcolor rgb text
do for [panel = 1:panels] {
    value = panel + 1
    set lmargin at screen left + panel_width * (panel - 1)
    set rmargin at screen left + panel_width * panel - 20 / width - room(value)
    set label 1 ARGV[value + 1] at graph 0, screen 1 - 18 / height left textcolor rgb text
    plot ARG1 using (0):0:(0):value:($0 - 0.36):($0 + 0.36):(colour(strcol(1))) with boxxyerror linecolor rgb variable notitle, \
         '' using value:0:value with labels left offset 0.5, 0 textcolor rgb text notitle, \
         '' using (panel == 1 ? 0 : NaN):0:1 with labels right offset -0.5, 0 textcolor rgb text notitle, \
         keyentry with boxes linecolor rgb uuidx title 'uuidx', \
         keyentry with boxes linecolor rgb others title 'without uuidx'
    unset key
    unset label 2
}
