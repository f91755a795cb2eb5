# A formula of Homebrew. UNTESTED: the library has been built on Linux only.
class Orff < Formula
  desc "Learns vector-valued functions with operator-valued kernels"
  homepage "ARCHIVE_URL"
  url "ARCHIVE_URL"
  version "0.2.0"
  sha256 "ARCHIVE_SHA256"
  license all_of: ["BSD-3-Clause", "GPL-2.0-or-later"]

  depends_on "cmake" => :build
  depends_on "pkgconf" => :build
  depends_on "fftw"
  depends_on "jansson"
  depends_on "libomp"
  depends_on "netcdf"
  depends_on "openblas"
  depends_on "proj"
  depends_on "sleef"
  depends_on "xz"

  uses_from_macos "zlib"

  def install
    system "cmake", "-S", ".", "-B", "build", "-DORFF_TESTS=OFF", *std_cmake_args
    system "cmake", "--build", "build", "--target", "orff", "orff_static", "orff_program", "orff_documents"
    system "cmake", "--install", "build"
  end

  test do
    (testpath/"flow.csv").write <<~CSV
      x,y,u,v
      0,0,0,0
      1,0,0,1
      0,1,-1,0
      1,1,-1,1
    CSV
    system bin/"orff", "fit", "flow.csv", "--inputs", "x,y", "--outputs", "u,v", "--kernel", "div-free",
           "--sigma", "1", "--lambda", "1e-3", "-o", "flow.orff"
    assert_match "div-free", shell_output("#{bin}/orff info flow.orff")
  end
end
