import { badRequest } from '../../../core/errors.ts';

/** The JSON text of a secret. @throws AppError `bad-request` for data that is nested too deeply to be written */
export function jsonText(data: object): string {
  try {
    return JSON.stringify(data);
  } catch (cause) {
    throw badRequest('the data is nested too deeply', { cause });
  }
}
