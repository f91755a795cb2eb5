# Fit, predict with standard errors, files, formulas, refusals. Statements, not stored numbers.
library(orff)

fails <- function(expression, pattern) {
  message <- tryCatch({ expression; "" }, error = conditionMessage)
  if (!grepl(pattern, message)) stop("expected an error about ", pattern, ", got: ", message)
}

set.seed(7)
n <- 300
x <- matrix(runif(2 * n, -1, 1), ncol = 2, dimnames = list(NULL, c("x", "y")))
truth <- function(x) cbind(u = -sin(3 * x[, 2]), v = sin(3 * x[, 1]))
y <- truth(x) + rnorm(2 * n, sd = 0.05)
new <- matrix(runif(400, -0.9, 0.9), ncol = 2, dimnames = list(NULL, c("x", "y")))

for (engine in c("exact", "features", "lattice")) {
  model <- orff(x, y, kernel = "div-free", engine = engine)
  stopifnot(inherits(model, "orff"), model$engine == engine, model$d == 2, model$p == 2, model$rows == n)
  told <- predict(model, new, se.fit = TRUE)
  stopifnot(identical(dim(told$fit), c(200L, 2L)), identical(colnames(told$fit), c("u", "v")), all(told$se.fit >= 0))
  stopifnot(max(abs(told$fit - truth(new))) < 0.2, all(abs(model$noise - 0.05) < 0.02))
  # the intervals hold what they say, and noise makes them wider
  wide <- predict(model, new, interval = "prediction")
  stopifnot(all(wide$se.fit > told$se.fit), all(wide$lower < wide$fit & wide$fit < wide$upper))
  stopifnot(mean(abs(told$fit - truth(new)) < 4 * told$se.fit) > 0.9)

  file <- tempfile(fileext = ".orff")
  orff_save(model, file)
  again <- orff_load(file)
  stopifnot(identical(predict(again, new), predict(model, new)), identical(again$inputs, c("x", "y")),
            identical(again$outputs, c("u", "v")), identical(again$kernel, model$kernel))
}

# The field really has no divergence: central differences of the prediction.
h <- 1e-4
shift <- function(dx, dy) sweep(new, 2, c(dx, dy), "+")
model <- orff(x, y, kernel = "div-free", engine = "exact")
divergence <- (predict(model, shift(h, 0))[, 1] - predict(model, shift(-h, 0))[, 1] +
               predict(model, shift(0, h))[, 2] - predict(model, shift(0, -h))[, 2]) / (2 * h)
stopifnot(max(abs(divergence)) < 1e-5)

# Columns are found by their names, also behind a formula, and a single point may be a vector.
table <- data.frame(v = y[, 2], y = x[, 2], u = y[, 1], x = x[, 1])
by_formula <- orff(cbind(u, v) ~ x + y, data = table, kernel = "div-free", engine = "exact")
stopifnot(all.equal(predict(by_formula, as.data.frame(new)), predict(model, new), check.attributes = FALSE))
stopifnot(all.equal(predict(model, new[, c("y", "x")]), predict(model, new)))
stopifnot(all.equal(c(predict(model, c(0.1, 0.2))), c(predict(model, rbind(c(0.1, 0.2))))))

# One input, one output; settings that are numbers, several numbers, yes or no.
line <- orff(x[, 1], sin(3 * x[, 1]), sigma = 0.7, lambda = 1e-6, scale_inputs = FALSE)
stopifnot(max(abs(predict(line, c(-0.5, 0, 0.5)) - sin(3 * c(-0.5, 0, 0.5)))) < 0.01)
stopifnot(grepl("0.3", orff(x, y, sigma = c(0.3, 0.6))$kernel, fixed = TRUE))
invisible(capture.output(print(line), print(model)))

fails(orff(x, y, sgima = 1), "sigma")
fails(orff(x, y, kernel = "divfree"), "kernel")
fails(orff(x, y[-1, ]), "rows")
fails(orff(x, y, "div-free"), "names")
fails(orff(cbind(x, NA), y), "row 1, column 3")
fails(predict(model, matrix(0, 3, 3)), "columns")
fails(orff_load(tempfile()), "orff|file|No such")
copy <- unserialize(serialize(model, NULL))
fails(predict(copy, new), "orff_save")

# Errors are the library's words, not a call of the package's own.
refused <- tryCatch(orff(x, y, kernel = "divfree"), error = function(e) e)
stopifnot(is.null(conditionCall(refused)))

# Threads, and that models go with the garbage.
before <- orff_threads(1)
stopifnot(orff_threads() == 1)
orff_threads(before)
stopifnot(orff_version()[1] == as.character(packageVersion("orff")))
rm(model, line, by_formula)
invisible(gc())
