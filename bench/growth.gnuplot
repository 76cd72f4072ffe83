# A chart of two panels over the number of rows, with a line for each key. The background is transparent; the colours show
# on white and on black.
#
#   gnuplot -c growth.gnuplot DATA CHART

text = '#767676'
array name[3] = ['bigint identity', 'uuid_generate_v7()', 'gen_random_uuid()']
array colour[3] = [0x9a9a9a, 0x3b82d0, 0xd0763b]

set datafile separator '\t'
set terminal svg noenhanced size 860, 320 font 'sans-serif,14'
set output ARG2
set border 3 linecolor rgb text
set tics nomirror textcolor rgb text
set xlabel 'Million rows' textcolor rgb text
set yrange [0:*]
set xrange [0:*]
set xtics 2
set tmargin at screen 0.87
set bmargin at screen 0.19
unset key
stats ARG1 using 2 nooutput
last = STATS_max
set multiplot
do for [panel in '3 4'] {
    set lmargin at screen panel eq '3' ? 0.06 : 0.56
    set rmargin at screen panel eq '3' ? 0.33 : 0.83
    set title (panel eq '3' ? 'Thousand rows inserted a second' : 'Size of the index (MiB)') textcolor rgb text
    at(i) = strcol(1) eq name[i] ? column(int(panel)) : NaN
    plot for [i = 1:3] ARG1 using 2:(at(i)) with linespoints linewidth 2 pointtype 7 pointsize 0.5 linecolor rgb colour[i] notitle, \
         for [i = 1:3] '' using 2:(column(2) == last ? at(i) : NaN):(name[i]) with labels left offset 0.8, 0 textcolor rgb text notitle
}
