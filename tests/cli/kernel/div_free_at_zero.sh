# In two dimensions the div-free kernel is the same as the curl-free one at x = z.
orff kernel --kernel div-free --sigma 0.5 --x 0.3,0.1 --z 0.3,0.1
