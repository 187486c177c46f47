import type { FastifyRequest } from 'fastify';
import { AccountController } from './account.controller.js';

test('a new password is only rated after the attempt was counted', async () => {
  let isRead = false;
  const request = {
    visitor: { accountId: 'acc_a' },
    get body() {
      isRead = true;
      return {};
    },
  };
  const attempts = { countConfirmation: () => Promise.reject(new Error('too many attempts')) };
  const controller = new AccountController({} as never, {} as never, {} as never, attempts as never);
  await expect(controller.changePassword(request as unknown as FastifyRequest)).rejects.toThrow('too many attempts');
  expect(isRead).toBe(false);
});
