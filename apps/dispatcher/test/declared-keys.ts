import { createHash } from 'node:crypto';
import { commandNames, scripts } from '../src/queue/scripts.js';

/** Before a command: every key that it touches must be one of those that it was given. */
const check = `
local declared = {}
for _, key in ipairs(KEYS) do declared[key] = true end
local real = redis
local function check_key(command, key)
  if not declared[key] then error(command .. ' touches a key that is not declared: ' .. tostring(key)) end
end
local function checked(run)
  return function(command, ...)
    local args = { ... }
    -- The others have one key, or none.
    for n = 1, command == 'DEL' and #args or math.min(#args, 1) do check_key(command, args[n]) end
    return run(command, ...)
  end
end
local redis = { call = checked(real.call), pcall = checked(real.pcall) }
`;

const plain = { ...scripts };

/** From here on every command of this process fails that touches an undeclared key. Before the connection is opened. */
export const checkDeclaredKeys = (): void => {
  for (const name of commandNames) {
    const source = `${check}${plain[name].source}`;
    scripts[name] = { source, sha: createHash('sha1').update(source).digest('hex') };
  }
};
