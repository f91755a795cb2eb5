# Vorticity of a solid rotation is twice its rate: 2 per 1000 km. There is no divergence.
fit --geo lonlat --kernel div-free -q
orff predict g.orff --grid lon=178:182:3,lat=-21:-19:3 --derive divergence,curl,jacobian --std -o - -q | cut -d , -f 1-2,7,9
