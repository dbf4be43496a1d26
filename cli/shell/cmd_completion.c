/* sluice completion: a script that lets a shell complete command lines of sluice. */
#include "commands.h"
#include "output/message.h"

#include <stdio.h>
#include <string.h>

/* Each asks `sluice --complete WORDS...` (candidates.h), so that a script never has to be made anew. */
static const char bash_script[] =
    "# Completes command lines of sluice in bash.\n"
    "_sluice() {\n"
    "    local line lines\n"
    "    COMPREPLY=()\n"
    "    mapfile -t lines < <(\"${COMP_WORDS[0]}\" --complete \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null)\n"
    "    if [[ ${lines[0]-} == :files ]]; then\n"
    "        compopt -o default\n"
    "        return\n"
    "    fi\n"
    "    for line in \"${lines[@]}\"; do COMPREPLY+=(\"${line%%$'\\t'*}\"); done\n"
    "    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n"
    "}\n"
    "complete -F _sluice sluice\n";

static const char zsh_script[] =
    "#compdef sluice\n"
    "# Completes command lines of sluice in zsh.\n"
    "_sluice() {\n"
    "    local line word\n"
    "    local -a lines shown ending\n"
    "    lines=(\"${(@f)$(\"${words[1]}\" --complete \"${(@)words[2,CURRENT]}\" 2>/dev/null)}\")\n"
    "    if [[ ${lines[1]} == :files ]]; then\n"
    "        [[ ${words[CURRENT]} == --*=* ]] && compset -P '*='\n"
    "        _files\n"
    "        return\n"
    "    fi\n"
    "    for line in $lines; do\n"
    "        word=${line%%$'\\t'*}\n"
    "        if [[ $word == *= ]]; then\n"
    "            ending+=(\"${word//:/\\\\:}:${line#*$'\\t'}\")\n"
    "        else\n"
    "            shown+=(\"${word//:/\\\\:}:${line#*$'\\t'}\")\n"
    "        fi\n"
    "    done\n"
    "    (( $#shown )) && _describe 'sluice' shown\n"
    "    (( $#ending )) && _describe 'sluice' ending -S ''\n"
    "}\n"
    "if [[ ${funcstack[1]-} == _sluice ]]; then\n"
    "    _sluice \"$@\"\n"
    "else\n"
    "    compdef _sluice sluice\n"
    "fi\n";

static const char fish_script[] = "# Completes command lines of sluice in fish.\n"
                                  "function __sluice_candidates\n"
                                  "    set -l words (commandline -opc) (commandline -ct)\n"
                                  "    set -l lines ($words[1] --complete $words[2..-1] 2>/dev/null)\n"
                                  "    if test \"$lines[1]\" = :files\n"
                                  "        __fish_complete_path (string replace -r -- '^--[^=]*=' '' $words[-1])\n"
                                  "    else\n"
                                  "        printf '%s\\n' $lines\n"
                                  "    end\n"
                                  "end\n"
                                  "complete -c sluice -f -a '(__sluice_candidates)'\n";

static int run(const args *a) {
    if (!a->n_inputs) return wrong_usage(a->command->name, "which shell? bash, zsh or fish");
    const char *shell = a->inputs[0];
    const char *script = strcmp(shell, "bash") == 0   ? bash_script
                         : strcmp(shell, "zsh") == 0  ? zsh_script
                         : strcmp(shell, "fish") == 0 ? fish_script
                                                      : NULL;
    if (!script) return wrong_usage(a->command->name, "'%s': there are scripts for bash, zsh and fish", shell);
    fputs(script, stdout);
    return flush_results(stdout, "standard output");
}

static const option_info options[] = {{NULL, 0, NULL, NULL, 0}};

const command completion_command = {
    .name = "completion",
    .summary = "print a script that completes command lines in bash, zsh or fish",
    .synopsis = "bash|zsh|fish",
    .notes = "bash: put this into ~/.bashrc: source <(sluice completion bash)\n"
             "zsh:  put this into ~/.zshrc, behind compinit: source <(sluice completion zsh)\n"
             "fish: sluice completion fish > ~/.config/fish/completions/sluice.fish\n"
             "`make install` and the Debian package put the scripts where the shells look for them.",
    .options = options,
    .max_inputs = 1,
    .run = run,
};
