import ArgumentParser

/// The completion script of a shell.
///
/// The library's script knows commands only. This one takes a first word that is no command for an entity of `clone`,
/// as the command line does, and proposes entities beside the commands.
struct CompletionScript {
  private static let option = "--generate-completion-script"
  private let shell: CompletionShell

  /// Nil where the arguments ask for something else.
  init?(_ arguments: [String]) {
    let words = arguments.flatMap { $0.split(separator: "=", maxSplits: 1).map(String.init) }
    guard words.first == Self.option else { return nil }
    guard let shell = words.count > 1 ? CompletionShell(rawValue: words[1]) : .autodetected() else {
      return nil
    }
    self.shell = shell
  }

  var text: String {
    let script = MOClone.completionScript(for: shell)
    switch shell {
    case .bash:
      return script.replacing("\n_moclone() {\n", with: "\n\(Self.bash)\n_moclone_commands() {\n")
    case .zsh:
      return script.replacing("\n_moclone() {\n", with: "\n\(Self.zsh)\n_moclone_commands() {\n")
    default:
      let tokens = "set -l unparsed_tokens (__moclone_tokens -pc)\n"
      return script.replacing(tokens, with: tokens + Self.fishTokens, maxReplacements: 1) + Self.fishEntities
    }
  }

  /// The words that are not entities.
  private static func commands(_ separator: String) -> String {
    (MOClone.commandNames + ["help"]).joined(separator: separator)
  }

  private static var bash: String {
    """
    _moclone() {
        local word="${COMP_WORDS[1]}"
        if [[ "${COMP_CWORD}" -gt 1 && "${word}" != -* && ! "${word}" =~ ^(\(commands("|")))$ ]]; then
            # The short form: what is no command is an entity of clone.
            local -a COMP_WORDS=("${COMP_WORDS[0]}" clone "${COMP_WORDS[@]:1}")
            local -i COMP_CWORD="$((COMP_CWORD + 1))" COMP_POINT="$((COMP_POINT + 6))"
            local COMP_LINE="${COMP_LINE/#"${COMP_WORDS[0]}"/"${COMP_WORDS[0]} clone"}"
        fi
        _moclone_commands "${@}"
        if [[ "${COMP_CWORD}" -eq 1 && "${2}" != -* ]]; then
            local entities
            entities="$(SAP_SHELL=bash "${COMP_WORDS[0]}" ---completion clone -- positional@0 1 "${#2}" "${COMP_WORDS[@]}")"
            COMPREPLY+=($(compgen -W "${entities}" -- "${2}"))
        fi
    }

    """
  }

  private static var zsh: String {
    """
    _moclone() {
        if [[ "${CURRENT}" -gt 2 && "${words[2]}" != -* && "${words[2]}" != (\(commands("|"))) ]]; then
            # The short form: what is no command is an entity of clone.
            emulate -RL zsh -G
            setopt extendedglob nullglob numericglobsort
            unsetopt aliases banghist
            local -x SAP_SHELL=zsh SAP_SHELL_VERSION="${ZSH_VERSION}"
            local context state state_descr line
            local -A opt_args
            local -r command_name="${words[1]}"
            local -ar command_line=("${words[1]}" clone "${words[@]:1}")
            local -ir current_word_index="${CURRENT}"
            local -i ret=1
            words[1]=clone
            _moclone_clone
            return
        fi
        if [[ "${CURRENT}" -eq 2 && "${words[2]}" != -* ]]; then
            local -a entities
            entities=("${(@f)$(SAP_SHELL=zsh "${words[1]}" ---completion clone -- positional@0 1 "${#words[2]}" "${words[@]}")}")
            compadd -a entities
        fi
        _moclone_commands "${@}"
    }

    """
  }

  private static var fishTokens: String {
    """
        if test (count $unparsed_tokens) -gt 1
            and not string match -q -- '-*' $unparsed_tokens[2]
            and not contains -- $unparsed_tokens[2] \(commands(" "))
            # The short form: what is no command is an entity of clone.
            set unparsed_tokens $unparsed_tokens[1] clone $unparsed_tokens[2..]
        end

    """
  }

  private static var fishEntities: String {
    """

    complete -c moclone -n '__moclone_should_offer_completions_for_positional "moclone" -eq 1' \
      -fka '(__moclone_custom_completion ---completion clone -- positional@0 1 (__moclone_tokens -tC))'

    """
  }
}
