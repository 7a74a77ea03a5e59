/** A template that cannot be read or filled. The message never holds a secret value: templates see names alone. */
export class TemplateError extends Error {
  constructor(problem: string, at?: number) {
    super(at === undefined ? problem : `${problem} (at character ${at + 1})`);
    this.name = 'TemplateError';
  }
}
