# What is missing, and what does not fit together.
orff kernel --x 0 --z 0 || echo $?
orff kernel --sigma 1 || echo $?
orff kernel --sigma 1 --x 0,1 --z 0 || echo $?
orff kernel --sigma 1 --x a --z 0 || echo $?
orff kernel --kernel auto --x 0 --z 0 || echo $?
orff kernel --sigma 1 --output-matrix "1,0;0,1" --x 0 --z 0 || echo $?
# What only a fit can choose, or rows tell; the advice is what the command takes.
for option in "--kernel delayed" "--output-matrix learn" "--output-matrix covariance" "--wavelength auto" "--sigma median" \
    "--base matern --shape auto" "--kernel div-free+curl-free --weight auto" "--kernel helmholtz --mix auto"; do
    orff kernel --sigma 1 --outputs 2 --x 0,0 --z 0,1 $option || echo $?
done
