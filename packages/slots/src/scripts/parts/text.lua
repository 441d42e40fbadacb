-- Returns an integer as text with every digit, as Redis stores it.
local function text(integer)
  return string.format('%.0f', integer)
end
