-- Returns the viewer's published document. One that was erased is treated like one that was never synchronized.
local function readViewer(endUser)
  local document = redis.call('HGET', endUser, 'document')
  if document and document ~= '' then
    return cjson.decode(document)
  end
  return {}
end
