# The charts of docs/benchmarks.md. Variables: calls, inserts, sessions (files), folder.
set terminal svg noenhanced size 800,640 font 'sans-serif,13' background '#ffffff'
set datafile separator '\t'
set style fill solid 0.9 noborder
set border 3
set grid xtics lc '#dddddd'
set tics nomirror
blue = '#336791'
grey = '#999999'

# Horizontal bars, the first line of the file on top.
set output folder . '/benchmarks-calls.svg'
set title 'Time for a UUID, by generator (ns, logarithmic)'
set lmargin 38
set logscale x
set xrange [*:*]
set yrange [*:*]
stats calls using 2 nooutput
set yrange [STATS_records - 0.4:-0.6]
set xrange [10:STATS_max * 4]
unset key
plot calls using (0.5 * $2):0:(10):2:($0 - 0.35):($0 + 0.35):ytic(1) with boxxyerror lc rgb blue, \
     '' using 2:0:2 with labels left offset 0.5, 0
unset logscale x

set terminal svg size 800,420
set output folder . '/benchmarks-rows.svg'
set multiplot layout 1, 2
set xrange [*:*]
set yrange [*:*]
stats inserts using 2 nooutput
set yrange [STATS_records - 0.4:-0.6]
set xrange [0:STATS_max * 1.25]
set lmargin 30
set title 'Time for a row (µs)'
plot inserts using (0.5 * $2):0:(0):2:($0 - 0.35):($0 + 0.35):ytic(1) with boxxyerror lc rgb blue, \
     '' using 2:0:2 with labels left offset 0.5, 0
set xrange [*:*]
set yrange [*:*]
stats inserts using 3 nooutput
set yrange [STATS_records - 0.4:-0.6]
set xrange [0:STATS_max * 1.25]
set lmargin 6
set ytics format ''
set title 'Size of the index (MiB)'
plot inserts using (0.5 * $3):0:(0):3:($0 - 0.35):($0 + 0.35) with boxxyerror lc rgb grey, \
     '' using 3:0:3 with labels left offset 0.5, 0
unset multiplot

set output folder . '/benchmarks-sessions.svg'
reset
set terminal svg noenhanced size 800,420 font 'sans-serif,13' background '#ffffff'
set datafile separator '\t'
set border 3
set tics nomirror
set grid ytics lc '#dddddd'
set title 'UUIDs in a second, all sessions together (millions)'
set xlabel 'sessions at once'
set xrange [0.5:4.5]
set yrange [0:*]
set xtics (1, 2, 4)
set key outside right
names = system("cut -f 1 " . sessions . " | uniq | tr '\\n' ' '")
plot for [name in names] sessions using 2:(strcol(1) eq name ? $3 : NaN) with linespoints lw 2 pt 7 title name
