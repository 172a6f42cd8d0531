-- A page that polls one user's record: wrk with think time (samples/record.sh).
request = function()
  return wrk.format("GET", string.format("/user/00000000-0000-8000-8000-%012x", math.random(0, 9999)))
end
delay = function()
  return math.random(10, 50)
end
