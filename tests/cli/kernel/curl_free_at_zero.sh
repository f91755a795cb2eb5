# At x = z the curl-free kernel of the Gaussian is I / sigma^2.
orff kernel --kernel curl-free --sigma 0.5 --x 0.3,0.1 --z 0.3,0.1
