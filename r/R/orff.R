# Matrices of R are column-major and the library's row-major, so points travel transposed: one point a column here.

# A numeric matrix of rows, its names kept; what it is for goes into messages.
as_rows <- function(rows, what) {
  if (is.data.frame(rows)) rows <- data.matrix(rows)
  if (is.null(dim(rows))) rows <- matrix(rows, ncol = 1)
  if (!is.matrix(rows) || !(is.numeric(rows) || is.logical(rows)))
    stop(what, " must be numbers: a matrix, a data frame or a vector", call. = FALSE)
  storage.mode(rows) <- "double"
  rows
}

# Settings as texts "name=value": length_scale is length-scale, TRUE is yes, several numbers are joined by commas.
as_settings <- function(settings) {
  if (!length(settings)) return(character())
  if (is.null(names(settings)) || any(names(settings) == ""))
    stop("settings must have names, as in kernel = \"div-free\"", call. = FALSE)
  as_text <- function(value) {
    if (is.logical(value)) value <- ifelse(value, "yes", "no")
    if (is.numeric(value)) value <- format(value, digits = 17, trim = TRUE, scientific = NA)
    paste(value, collapse = ",")
  }
  paste0(gsub("_", "-", names(settings), fixed = TRUE), "=", vapply(settings, as_text, ""))
}

# What the library says about a model that it has made or read.
describe <- function(pointer, terms = NULL) {
  structure(c(list(pointer = pointer, terms = terms), .Call(C_orff_describe, pointer)), class = "orff")
}

orff <- function(x, ...) UseMethod("orff")

orff.default <- function(x, y, ...) {
  x <- as_rows(x, "x")
  y <- as_rows(y, "y")
  if (nrow(x) != nrow(y))
    stop("x has ", nrow(x), " rows, y has ", nrow(y), call. = FALSE)
  named <- list(colnames(x), colnames(y))
  describe(.Call(C_orff_fit, t(x), t(y), as_settings(list(...)), named[[1]], named[[2]]))
}

orff.formula <- function(formula, data = NULL, ...) {
  frame <- model.frame(formula, data, na.action = na.omit)
  x <- data.matrix(frame[, -1, drop = FALSE])
  y <- as_rows(model.response(frame), "the left side of the formula")
  if (is.null(colnames(y)) && ncol(y) == 1) colnames(y) <- deparse(formula[[2]])[1]
  fitted <- orff.default(x, y, ...)
  fitted$terms <- terms(frame)
  fitted
}

# New points as the rows that were learned from: by the formula, else by name where both have names, else by place.
new_rows <- function(object, newdata) {
  if (!is.null(object$terms) && is.data.frame(newdata)) {
    newdata <- data.matrix(model.frame(delete.response(object$terms), newdata, na.action = na.pass))
  } else if (!is.null(colnames(newdata)) && !is.null(object$inputs) && all(object$inputs %in% colnames(newdata))) {
    newdata <- newdata[, object$inputs, drop = FALSE]
  } else if (is.null(dim(newdata)) && object$d > 1 && length(newdata) == object$d) {
    newdata <- matrix(newdata, nrow = 1)
  }
  newdata <- as_rows(newdata, "newdata")
  if (ncol(newdata) != object$d)
    stop("newdata has ", ncol(newdata), " columns, the model has ", object$d, " inputs", call. = FALSE)
  newdata
}

predict.orff <- function(object, newdata, se.fit = FALSE, interval = c("none", "confidence", "prediction"), level = 0.95, ...) {
  interval <- match.arg(interval)
  points <- new_rows(object, newdata)
  as_values <- function(values) {
    values <- t(values)
    dimnames(values) <- list(rownames(points), object$outputs)
    values
  }
  values <- as_values(.Call(C_orff_predict, object$pointer, t(points)))
  if (!se.fit && interval == "none") return(values)
  errors <- as_values(.Call(C_orff_std, object$pointer, t(points), interval == "prediction"))
  answer <- list(fit = values, se.fit = errors)
  if (interval != "none") {
    wide <- stats::qnorm((1 + level) / 2) * errors
    answer$lower <- values - wide
    answer$upper <- values + wide
  }
  answer
}

print.orff <- function(x, ...) {
  cat("orff model of ", x$d, if (x$d == 1) " input and " else " inputs and ", x$p,
      if (x$p == 1) " output, learned from " else " outputs, learned from ", format(x$rows), " rows\n", sep = "")
  cat("kernel: ", x$kernel, "\nengine: ", x$engine, "\n", sep = "")
  if (any(is.finite(x$noise)))
    cat("noise:  ", paste(c(x$outputs, rep("", x$p))[seq_len(x$p)], format(x$noise, digits = 3), collapse = ", "), "\n", sep = "")
  if (nzchar(x$warning)) cat("warning: ", x$warning, "\n", sep = "")
  invisible(x)
}

orff_save <- function(object, file) {
  stopifnot(inherits(object, "orff"))
  .Call(C_orff_save, object$pointer, path.expand(enc2native(file)))
  invisible(object)
}

orff_load <- function(file) describe(.Call(C_orff_load, path.expand(enc2native(file))))

orff_version <- function() .Call(C_orff_library)

orff_threads <- function(count = NULL) {
  before <- .Call(C_orff_threads, if (is.null(count)) NULL else as.integer(count))
  if (is.null(count)) before else invisible(before)
}
