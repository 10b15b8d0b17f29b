package gaussian

// Float is the type of the numbers of SetBasis.
type Float interface{ float32 | float64 }

// The absolute factors of the real spherical harmonics of the degrees 1 to 4: sqrt(3/4pi)
// and so on. SetBasis has the signs of the Condon-Shortley phase, like the reference
// implementation of 3DGS (Kerbl et al., 2023).
const (
	factor1 = 0.4886025119029199

	factor2 = 1.0925484305920792
	zonal2  = 0.31539156525252005
	sector2 = 0.5462742152960396

	factor31 = 0.4570457994644658
	factor32 = 1.445305721320277
	sector3  = 0.5900435899266435
	zonal3   = 0.3731763325901154

	factor41 = 0.6690465435572892
	factor42 = 0.47308734787878004
	factor43 = 1.7701307697799304
	sector4  = 0.6258357354491761
	zonal4   = 0.10578554691520431
)

// SetBasis sets the first Coefficients(degree) values to the real spherical harmonics, without the
// zeroth, in the direction of a unit vector. They are in the order of 3DGS f_rest: by degree, then
// by order from -degree to degree. The colour of a Gaussian is 0.5 + C0*f_dc plus the sum of these
// values times its Harmonics, for the direction from the camera to the Gaussian. values has at
// least Coefficients(degree) elements. For a degree below 1 it sets none.
func SetBasis[F Float](degree int, x, y, z F, values []F) {
	if degree < 1 {
		return
	}
	values[0] = -factor1 * y
	values[1] = factor1 * z
	values[2] = -factor1 * x
	if degree < 2 {
		return
	}
	xx, yy, zz := x*x, y*y, z*z
	values[3] = factor2 * x * y
	values[4] = -factor2 * y * z
	values[5] = zonal2 * (2*zz - xx - yy)
	values[6] = -factor2 * x * z
	values[7] = sector2 * (xx - yy)
	if degree < 3 {
		return
	}
	values[8] = -sector3 * y * (3*xx - yy)
	values[9] = 2 * factor32 * x * y * z
	values[10] = -factor31 * y * (4*zz - xx - yy)
	values[11] = zonal3 * z * (2*zz - 3*xx - 3*yy)
	values[12] = -factor31 * x * (4*zz - xx - yy)
	values[13] = factor32 * z * (xx - yy)
	values[14] = -sector3 * x * (xx - 3*yy)
	if degree < 4 {
		return
	}
	values[15] = 4 * sector4 * x * y * (xx - yy)
	values[16] = -factor43 * y * z * (3*xx - yy)
	values[17] = 2 * factor42 * x * y * (7*zz - 1)
	values[18] = -factor41 * y * z * (7*zz - 3)
	values[19] = zonal4 * (zz*(35*zz-30) + 3)
	values[20] = -factor41 * x * z * (7*zz - 3)
	values[21] = factor42 * (xx - yy) * (7*zz - 1)
	values[22] = -factor43 * x * z * (xx - 3*yy)
	values[23] = sector4 * (xx*(xx-3*yy) - yy*(3*xx-yy))
}
