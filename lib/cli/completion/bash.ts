import { type Following, outputFormats } from './words.ts';

/** A script that makes bash complete command lines of the program. It starts no process. */
export const bashScript = (all: readonly Following[]): string => `_keyferry() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} command='' word names flags
  if [[ $before == -o || $before == --output ]]; then
    COMPREPLY=($(compgen -W '${outputFormats.join(' ')}' -- "$current"))
    return
  fi
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
    [[ $word == -* ]] || command+="$word "
  done
  case $command in
${all.map(branchOf).join('\n')}
  esac
  [[ $current == -* ]] && names=$flags
  COMPREPLY=($(compgen -W "$names" -- "$current"))
}
complete -o default -F _keyferry keyferry
`;

const branchOf = ({ command, names, flags }: Following): string =>
  `    ${command === '' ? "''" : `'${command} '*`}) names='${names.join(' ')}' flags='${flags.join(' ')}' ;;`;

/** The same for zsh, which runs completions of bash. */
export const zshScript = (all: readonly Following[]): string =>
  `autoload -U +X compinit && compinit
autoload -U +X bashcompinit && bashcompinit
${bashScript(all)}`;
