import { type AppError, badRequest } from '#core/errors.ts';

/** Errors for a wrong state of the seal. `word` translates them into the vocabulary that existing clients expect. */
export const alreadyInitialised = (): AppError => badRequest((word) => word('the service is already initialized'));
export const notInitialised = (): AppError => badRequest((word) => word('the service is not initialized'));
export const unsealed = (): AppError => badRequest((word) => word('the service is unsealed'));
