import { type AppError, badRequest } from '../../core/errors.ts';

/** Refusals that say what state the seal is in. Existing clients know these texts in words of their own. */
export const alreadyInitialised = (): AppError => badRequest((word) => word('the service is already initialized'));
export const notInitialised = (): AppError => badRequest((word) => word('the service is not initialized'));
export const unsealed = (): AppError => badRequest((word) => word('the service is unsealed'));
