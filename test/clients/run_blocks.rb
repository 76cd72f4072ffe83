# Runs the blocks of Ruby on its input one after the other, as the console does. A line of the argument's text separates
# blocks, and what they print.

separator = "#{ARGV.shift}\n"
$stdout.sync = true
$stdin.read.split(separator).each do |block|
  TOPLEVEL_BINDING.eval(block)
  print separator
end
