/** One command of a block of shell, as its words. */
export interface ShellCommand {
  /** Variables that are set for it alone. */
  readonly environment: Readonly<Record<string, string>>;
  /** The program, and what it is given. Quotes are removed; what the shell would replace is as it is written. */
  readonly words: readonly string[];
}

/**
 * The commands of a block, in order: those of a line, of a pipe, and on both sides of `&&`. It knows quotes, comments, lines
 * that go on, and variables before a command; not functions, loops and here-documents.
 *
 * @throws Error for a quote that does not end.
 */
export function commandsIn(text: string): readonly ShellCommand[] {
  const commands: string[][] = [[]];
  for (const [token, isSeparator] of tokensOf(text.replaceAll('\\\n', ' '))) {
    if (isSeparator) {
      commands.push([]);
    } else {
      commands.at(-1)?.push(token);
    }
  }
  return commands.filter((words) => words.length > 0).map(commandOf);
}

const ASSIGNMENT = /^([A-Z_][A-Z0-9_]*)=(.*)$/is;

function commandOf(tokens: readonly string[]): ShellCommand {
  const first = tokens.findIndex((token) => !ASSIGNMENT.test(token));
  const assignments = first === -1 ? tokens : tokens.slice(0, first);
  return {
    environment: Object.fromEntries(
      assignments.map((token) => ASSIGNMENT.exec(token)?.slice(1) as [string, string]),
    ),
    words: first === -1 ? [] : tokens.slice(first),
  };
}

/** Words, and what stands between two commands. */
function* tokensOf(text: string): Iterable<readonly [token: string, isSeparator: boolean]> {
  const pattern =
    /(?<blank>[^\S\n]+)|(?<comment>#[^\n]*)|(?<separator>\n|;|&&|\|\|?)|(?<word>(?:\$\((?:[^()]|\([^()]*\))*\)|'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s;&|'"\\])+)/gs;
  let end = 0;
  for (const { index, 0: found, groups = {} } of text.matchAll(pattern)) {
    if (index !== end) {
      break;
    }
    end = index + found.length;
    if (groups['separator'] !== undefined) {
      yield [found, true];
    } else if (groups['word'] !== undefined) {
      yield [unquoted(found), false];
    }
  }
  if (end !== text.length) {
    throw new Error(`No shell from here on: ${text.slice(end, end + 60)}`);
  }
}

function unquoted(word: string): string {
  return word.replaceAll(/'([^']*)'|"((?:\\.|[^"\\])*)"/gs, (_match, single?: string, double?: string) => {
    return single ?? (double ?? '').replaceAll(/\\(.)/gs, '$1');
  });
}
