#!/bin/sh
# Collects git, its helper for HTTPS, the client of SSH and the shell that starts it, with the libraries that they load, for an image of the same
# release of Debian without a package manager: git.sh <folder>. Everything is below usr, which is a folder in every such image.
set -eu
to=$1
helpers=usr/lib/git-core
mkdir -p "$to/usr/bin" "$to/$helpers" "$to/var/lib/dpkg/status.d"

cp /usr/bin/git /usr/bin/ssh "$to/usr/bin/"
cp /bin/dash "$to/usr/bin/sh"
cp "/$helpers/git-remote-http" "$to/$helpers/"
ln -sf git-remote-http "$to/$helpers/git-remote-https"

for program in /usr/bin/git /usr/bin/ssh /bin/dash "/$helpers/git-remote-http"; do
  ldd "$program" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p'
done | sort -u | while read -r library; do
  case $(basename "$library") in
    # The image has its own C library.
    libc.so.* | libm.so.* | libdl.so.* | libpthread.so.* | librt.so.* | libresolv.so.*) ;;
    *)
      folder=$to/usr/lib/$(basename "$(dirname "$library")")
      mkdir -p "$folder"
      cp --dereference "$library" "$folder/"
      # Scanners of images read these files.
      package=$(dpkg-query --search "$library" "$(readlink -f "$library")" 2>/dev/null | sed -n '1s/:.*//p')
      [ -z "$package" ] || dpkg-query --status "$package" > "$to/var/lib/dpkg/status.d/$package"
      ;;
  esac
done
for package in git openssh-client dash; do dpkg-query --status "$package" > "$to/var/lib/dpkg/status.d/$package"; done
