import type { Figures, Line } from './row.js';

/** A line to be measured. */
export interface Candidate {
  readonly label: string;
  measure(): Promise<Figures>;
}

/**
 * Measures the candidates in turn, several times, so that whatever else the machine does at the time meets all of them.
 * Each round begins with another one.
 */
export async function measureInRounds(
  candidates: readonly Candidate[],
  rounds: number,
): Promise<readonly Line[]> {
  const lines = candidates.map(({ label }) => ({ label, rounds: [] as Figures[] }));
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < candidates.length; turn += 1) {
      const index = (turn + round) % candidates.length;
      const figures = await candidates[index]?.measure();
      if (figures !== undefined) {
        lines[index]?.rounds.push(figures);
      }
    }
  }
  return lines;
}
