# Makes the expected values that test/unit/test_stats_oracle.c compares with:
#   Rscript test/oracle/make-oracle.R test/oracle
# Needs r-base-core, r-cran-coin, r-cran-exactranktests (Debian 12: R 4.2.2, coin 1.4-2,
# exactRankTests 0.8-35). Independent of lampduel's code.
#
# p-values: every sign choice (or choice of a group) is enumerated where there are at most 2^14 of
# them, else coin's exact distribution. SciPy's and R's own "exact" tests ignore ties and are not
# used for p. Intervals: order statistics of all averages or differences, made and sorted in full,
# counted off by R's psignrank and pwilcox; without ties they are checked against exactRankTests.
suppressMessages({library(exactRankTests); library(coin)})
RNGversion("4.0.0")
set.seed(20260101)
dir <- commandArgs(TRUE)[1]

num <- function(v) paste(sprintf("%.17g", v), collapse = " ")

# ---- signed rank: Pratt's zeros, midranks ----
signed_rank_p <- function(d) {
  r <- rank(abs(d)); keep <- d != 0; r <- r[keep]; s <- d[keep] > 0
  if (length(r) == 0) return(c(1, 1, 1, 0))
  plus <- sum(r[s])
  if (length(r) <= 14) {
    sums <- 0
    for (x in r) sums <- c(sums, sums + x)
    less <- mean(sums <= plus); greater <- mean(sums >= plus)
    two <- mean(abs(sums - sum(r) / 2) >= abs(plus - sum(r) / 2))
  } else {
    zero <- rep(0, length(d))
    p <- function(side) pvalue(wilcoxsign_test(d ~ zero, zero.method = "Pratt",
                                               distribution = "exact", alternative = side))
    less <- p("less"); greater <- p("greater"); two <- p("two.sided")
  }
  c(as.numeric(two), as.numeric(less), as.numeric(greater), plus)
}

largest_k <- function(cdf, most) {
  k <- sum(2 * cdf(0:most) <= 0.05)
  k
}

signed_rank_case <- function(name, d) {
  n <- length(d)
  w <- outer(d, d, "+") / 2
  w <- sort(w[!lower.tri(w)])
  k <- largest_k(function(q) psignrank(q, n), length(w) %/% 2)
  ends <- if (k > 0) c(w[k], w[length(w) + 1 - k]) else c(NaN, NaN)
  if (k > 0 && n < 50 && !any(d == 0) && !anyDuplicated(abs(d)) && !anyDuplicated(w)) {
    other <- wilcox.exact(d, conf.int = TRUE)$conf.int
    stopifnot(all.equal(as.numeric(other), ends, tolerance = 1e-12))
  }
  p <- signed_rank_p(d)
  cat("case ", name, "\nx ", num(d), "\ny\n",
      "expect ", num(c(p[1:3], p[4], median(w), ends, k)), "\n", sep = "", file = out)
}

out <- file(file.path(dir, "signed_rank.txt"), "w")
cat("# made by make-oracle.R: x = differences;",
    "expect = p two-sided, less, greater, rank sum, estimate, interval, k\n", file = out)
for (n in 1:50) {
  signed_rank_case(sprintf("continuous-%d", n), rnorm(n, 0.3))
  signed_rank_case(sprintf("ties-%d", n), round(rnorm(n, 0.5, 2)) + 0.5)
  signed_rank_case(sprintf("ties-and-zeros-%d", n), round(rnorm(n, 0.4, 1.5)))
  a <- 1e9 + round(rnorm(n, 0, 3) * 64) / 64
  signed_rank_case(sprintf("offset-1e9-%d", n), a + round(rnorm(n, 1, 2) * 64) / 64 - a)
  signed_rank_case(sprintf("tiny-%d", n), rnorm(n, 0.2) * 1e-13)
  if (n %% 5 == 1) {
    signed_rank_case(sprintf("equal-%d", n), rep(0.25, n))
    signed_rank_case(sprintf("all-zero-%d", n), rep(0, n))
    signed_rank_case(sprintf("all-positive-%d", n), abs(rnorm(n)) + 1)
    signed_rank_case(sprintf("two-values-%d", n), sample(c(-1, 2), n, TRUE))
    signed_rank_case(sprintf("one-outlier-%d", n), c(rnorm(n - 1, 1), -1e6))
  }
}
close(out)

# ---- Mann-Whitney: midranks ----
mann_whitney_p <- function(x, y) {
  r <- rank(c(x, y)); m <- length(x); n <- length(y); got <- sum(r[m + seq_len(n)])
  e <- n * sum(r) / (m + n)
  if (choose(m + n, n) <= 2^14) {
    sums <- combn(m + n, n, function(i) sum(r[i]))
    less <- mean(sums <= got); greater <- mean(sums >= got)
    two <- mean(abs(sums - e) >= abs(got - e) - 1e-9)
  } else {
    v <- c(y, x); g <- factor(rep(c("y", "x"), c(n, m)), levels = c("y", "x"))
    if (length(unique(v)) == 1) return(c(1, 1, 1, got - n * (n + 1) / 2))
    p <- function(side) pvalue(wilcox_test(v ~ g, distribution = "exact", alternative = side))
    less <- p("less"); greater <- p("greater"); two <- p("two.sided")
  }
  c(as.numeric(two), as.numeric(less), as.numeric(greater), got - n * (n + 1) / 2)
}

mann_whitney_case <- function(name, x, y) {
  m <- length(x); n <- length(y)
  d <- sort(outer(y, x, "-"))
  k <- largest_k(function(q) pwilcox(q, m, n), (m * n) %/% 2)
  ends <- if (k > 0) c(d[k], d[m * n + 1 - k]) else c(NaN, NaN)
  if (k > 0 && m < 50 && n < 50 && !anyDuplicated(c(x, y)) && !anyDuplicated(d)) {
    other <- wilcox.exact(y, x, conf.int = TRUE)$conf.int
    stopifnot(all.equal(as.numeric(other), ends, tolerance = 1e-12))
  }
  cat("case ", name, "\nx ", num(x), "\ny ", num(y), "\n",
      "expect ", num(c(mann_whitney_p(x, y), median(d), ends, k)), "\n", sep = "", file = out)
}

out <- file(file.path(dir, "mann_whitney.txt"), "w")
cat("# made by make-oracle.R: expect = p two-sided, less, greater (y against x), U of y,",
    "estimate y - x, interval, k\n", file = out)
sizes <- list(c(1, 1), c(1, 5), c(5, 1), c(2, 2), c(2, 9), c(3, 3), c(4, 4), c(3, 8), c(5, 5),
              c(6, 6), c(7, 6), c(6, 7), c(7, 7), c(8, 8), c(9, 5), c(4, 20), c(10, 10),
              c(12, 9), c(15, 15), c(15, 3), c(20, 17), c(25, 25), c(30, 11), c(40, 40),
              c(1, 50), c(50, 50), c(49, 50), c(50, 2))
for (s in sizes) {
  m <- s[1]; n <- s[2]; label <- paste(m, n, sep = "-")
  mann_whitney_case(paste0("continuous-", label), rnorm(m), rnorm(n, 0.5))
  mann_whitney_case(paste0("ties-", label), round(rnorm(m, 0, 2)), round(rnorm(n, 1, 2)))
  mann_whitney_case(paste0("two-values-", label), sample(0:1, m, TRUE), sample(0:1, n, TRUE))
  mann_whitney_case(paste0("lopsided-ties-", label), c(rep(0, m - 1), 3), pmax(0, round(rnorm(n))))
  mann_whitney_case(paste0("offset-1e9-", label), 1e9 + round(rnorm(m) * 64) / 64,
                    1e9 + round(rnorm(n, 1) * 64) / 64)
  mann_whitney_case(paste0("tiny-", label), 1 + rnorm(m) * 1e-12, 1 + rnorm(n, 1) * 1e-12)
  mann_whitney_case(paste0("equal-", label), rep(2, m), rep(2, n))
  mann_whitney_case(paste0("apart-", label), runif(m), 2 + runif(n))
}
close(out)

# ---- the rest ----
out <- file(file.path(dir, "other.txt"), "w")
cat("# made by make-oracle.R: student = mean, sd, t interval, p two-sided;",
    "welch = difference, interval, p; trend = slope, p; holm\n", file = out)
case <- function(kind, x, y, expect)
  cat("case ", kind, "\nx ", num(x), "\ny", if (length(y)) " ", num(y), "\nexpect ", num(expect),
      "\n", sep = "", file = out)
for (n in c(2, 3, 4, 5, 8, 15, 30)) {
  x <- rnorm(n, 0.5)
  for (v in list(x, 1e9 + round(x * 1024) / 1024, x * 1e-12)) {
    mu <- median(v) - sd(v) / 7
    t <- t.test(v - mu)
    case("student", v - mu, NULL, c(t$estimate, sd(v), t$conf.int, t$p.value))
  }
  y <- rnorm(n + 1, 1, 3)
  t <- t.test(y, x)
  case("welch", x, y, c(mean(y) - mean(x), t$conf.int, t$p.value))
}
for (i in 1:12) {
  p <- round(runif(i)^3, if (i %% 3 == 0) 1 else 6)
  case("holm", p, NULL, p.adjust(p, "holm"))
}
slope <- function(x) {
  n <- length(x); i <- outer(1:n, 1:n, "<")
  median((outer(x, x, function(a, b) b - a) / outer(1:n, 1:n, function(a, b) b - a))[i])
}
for (n in c(3, 4, 5, 8, 15, 30, 49)) {
  x <- cumsum(rnorm(n)); t <- cor.test(seq_len(n), x, method = "kendall", exact = TRUE)
  case("trend", x, NULL, c(slope(x), t$p.value))
  x <- round(x)
  if (length(unique(x)) > 1 && n > 5) {
    t <- cor.test(seq_len(n), x, method = "kendall", exact = FALSE, continuity = TRUE)
    case("trend", x, NULL, c(slope(x), t$p.value))
  }
  case("lag1", x + seq_len(n) / 7, NULL, acf(x + seq_len(n) / 7, plot = FALSE)$acf[2])
}
# beyond 50: the normal approximation with correction for ties and continuity, here by R itself
for (f in list(identity, function(v) round(v * 4) / 4 + 1 / 16)) for (n in c(51, 60, 100)) {
  x <- f(rnorm(n, 0.2)); y <- f(rnorm(n + 3, 0.5))
  one <- function(side, ...) wilcox.test(..., alternative = side, exact = FALSE, correct = TRUE)$p.value
  case("signed-rank-large", x, NULL, c(one("two.sided", x), one("less", x), one("greater", x)))
  case("mann-whitney-large", x, y, c(one("two.sided", y, x), one("less", y, x), one("greater", y, x)))
}
for (n in c(1, 2, 3, 10, 15)) case("median", 1:n / 3, NULL, median(1:n / 3))
# one-pass variance gives 0 or worse here
v <- 1e9 + c(1, 2, 3, 4, 5) / 8
case("student", v - 1e9, NULL, {t <- t.test(v - 1e9); c(t$estimate, sd(v - 1e9), t$conf.int, t$p.value)})
case("sd", v, NULL, c(mean(v), sd(v - 1e9)))
case("sd", c(1e15, 1e15 + 1), NULL, c(1e15 + 0.5, sqrt(0.5)))
close(out)
