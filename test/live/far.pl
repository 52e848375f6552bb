#!/usr/bin/perl
# far.pl HOST PORT SECONDS: standard input and output to and from HOST, each way SECONDS late. For ssh's
# ProxyCommand: kernels without a delaying queue can be tested so too.
use strict;
use warnings;
use IO::Socket::INET;
use Time::HiRes qw(time);

my ($host, $port, $delay) = @ARGV;
my $far = IO::Socket::INET->new(PeerAddr => $host, PeerPort => $port) or die "far.pl: $host: $@\n";
# [from, to, pieces that are on their way: [due, bytes], bytes "" at the end]
my @ways = ([\*STDIN, $far, []], [$far, \*STDOUT, []]);

sub deliver {
	my ($way) = @_;
	while (@{$way->[2]} && $way->[2][0][0] <= time) {
		my $bytes = shift(@{$way->[2]})->[1];
		if ($bytes eq '') {
			$way->[1] == $far ? $far->shutdown(1) : exit 0;
		}
		while ($bytes ne '') {
			my $n = syswrite($way->[1], $bytes);
			exit 1 unless defined $n;
			substr($bytes, 0, $n) = '';
		}
	}
}

while (1) {
	my $wanted = '';
	my $wait = 1;
	for my $way (@ways) {
		vec($wanted, fileno($way->[0]), 1) = 1 if $way->[0];
		if (@{$way->[2]}) {
			my $left = $way->[2][0][0] - time;
			$wait = $left if $left < $wait;
		}
	}
	select(my $ready = $wanted, undef, undef, $wait < 0 ? 0 : $wait);
	for my $way (@ways) {
		if ($way->[0] && vec($ready, fileno($way->[0]), 1)) {
			my $n = sysread($way->[0], my $bytes, 65536);
			push @{$way->[2]}, [time + $delay, $n ? $bytes : ''];
			$way->[0] = undef unless $n;
		}
		deliver($way);
	}
}
