import type { Answer, Question } from '../../frame/fake/rest.ts';
import type { Project } from './project.ts';

/** A method of the API. */
export interface Operation {
  readonly name: string;
  readonly writes: boolean;
  run(project: Project, secretId: string, question: Question): Answer;
}
