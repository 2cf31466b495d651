import { z } from 'zod';

/** As src/core/permission.ts explains them. */
export const permissionModes = ['default', 'explore', 'accept_edits', 'dont_ask', 'bypass'] as const;

export const PermissionMode = z.enum(permissionModes);
