#!/bin/sh
# install.sh CMAKE BUILD SOURCE SCRATCH: installs into an empty prefix, moves it, and runs an example from there; nothing
# installed names the folder it was built in; man pages and completion have every option; packages can be made.
set -eu
cmake=$1 build=$2 source=$3 dir=$4
. "$(dirname "$0")/../counted.sh"
fresh "$dir"
cd "$dir"
"$cmake" --install "$build" --prefix "$dir/first" >installed.txt
mv first "a place with blanks"
prefix=$dir/"a place with blanks"
there() { for file; do [ -e "$prefix/$file" ] && good || bad "not installed: $file"; done; }
there bin/pdec bin/pderun share/pde/stdlib/core.pde share/pde/examples/parabolic_semilinear_heat.pde share/man/man1/pdec.1 \
    share/man/man1/pderun.1 share/bash-completion/completions/pderun share/zsh/site-functions/_pderun \
    share/fish/vendor_completions.d/pderun.fish share/doc/pde/LICENSE
found=$(grep -rlF -e "$build" -e "$source" "$prefix" || true)
[ -z "$found" ] && good || bad "names the folder it was built in: $found"
if command -v readelf >/dev/null; then
    readelf -d "$prefix/bin/pderun" | grep -q 'R.*PATH' && bad "pderun has a search path" || good
fi

# an example, with nothing of the build at hand
mkdir home
run() { env -i HOME="$dir/home" PATH="$prefix/bin:/usr/bin:/bin" "$@"; }
if run pderun "$prefix/share/pde/examples/elliptic_sine_gordon.pde" --set d=20 --iterations 20 --threads 1 --quiet \
    >run.txt 2>&1 && grep -q '^verdict: ' run.txt && [ -s elliptic_sine_gordon.run/model.safetensors ]; then good; else
    bad "the example does not run"; cat run.txt
fi
run pdec "$prefix/share/pde/examples/parabolic_semilinear_heat.pde" >next.txt && grep -q 'has no errors' next.txt && good || bad "pdec"

# a program in C, compiled and linked by what pkg-config says
if command -v pkg-config >/dev/null && command -v gcc >/dev/null; then
    cat >use.c <<'END'
#include <pde.h>
int main(void) {
    static const char text[] = "dim d = 2\ndomain x in ball(d, 1)\nfield u(x)\nequation lap(u) = 1\nboundary u = 0 exactly\n";
    PdeProblem *problem;
    return pde_abi() != PDE_ABI || pde_compile("a.pde", text, sizeof text - 1, &problem) != 0;
}
END
    pc=$(dirname "$(find "$prefix" -name pde.pc)")
    library=$(dirname "$pc")
    eval gcc use.c -o use "$(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs pde)"
    run env LD_LIBRARY_PATH="$library" ./use && good || bad "a program with libpde"
fi

# every option is in every page
for program in pdec pderun; do
    for option in $(run $program --help all | sed -n 's/^  \(--*[a-z0-9-]*\).*/\1/p'); do
        man=$(printf '%s' "$option" | sed 's/-/\\\\-/g')
        if grep -q "^\.B $man" "$prefix/share/man/man1/$program.1" &&
            grep -q -- "$option" "$prefix/share/bash-completion/completions/$program" &&
            grep -q -- "'$option" "$prefix/share/zsh/site-functions/_$program" &&
            grep -q -- " ${option##*-}\| ${option#--} \| ${option#-} " "$prefix/share/fish/vendor_completions.d/$program.fish"; then
            good; else bad "$program: no $option in a page"; fi
    done
    if command -v bash >/dev/null; then
        bash -n "$prefix/share/bash-completion/completions/$program" && good || bad "completion of $program"
        # shellcheck disable=SC2016
        answer=$(bash -c '. "$1"; COMP_WORDS=($2 --vers); COMP_CWORD=1; _$2; echo "${COMPREPLY[*]}"' - \
            "$prefix/share/bash-completion/completions/$program" $program)
        [ "$answer" = --version ] && good || bad "completes --vers to '$answer'"
    fi
    for shell in zsh fish; do
        command -v $shell >/dev/null || continue
        page=$(ls "$prefix"/share/$shell/*/*"$program"*)
        $shell -n "$page" && good || bad "$shell refuses $page"
    done
    if command -v groff >/dev/null; then
        groff -man -ww -z "$prefix/share/man/man1/$program.1" 2>groff.txt
        [ -s groff.txt ] && { bad "groff complains"; cat groff.txt; } || good
    fi
done

# packages, of what is built already
if command -v cpack >/dev/null && command -v dpkg >/dev/null; then
    (cd "$build" && cpack -G "TGZ;DEB" -B "$dir/packages" >"$dir/cpack.txt" 2>&1) ||
        { bad cpack; tail -5 cpack.txt; }
    ls packages/*.deb packages/*.tar.gz >/dev/null 2>&1 && good || bad "no packages"
    for deb in packages/*.deb; do
        dpkg --contents "$deb" | grep -q './usr/bin/pderun$' && good || bad "no pderun in $deb"
        dpkg --field "$deb" Depends | grep -qi llvm && good || bad "the package does not depend on LLVM"
    done
fi
finish
