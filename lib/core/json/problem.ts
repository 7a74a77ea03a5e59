/** What is wrong with a text that should be JSON. The message names the position and quotes nothing of the text. */
export class JsonProblem extends SyntaxError {
  override readonly name = 'JsonProblem';
}

export const invalidAt = (character: number): JsonProblem => new JsonProblem(`invalid JSON at character ${character}`);
